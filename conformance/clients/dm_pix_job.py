"""dm_pix: changes of images, and how alike they are."""

import dm_pix
import jax
from reporting import show

image = jax.random.uniform(jax.random.key(0), (8, 9, 3))
show("contrast", jax.jit(dm_pix.adjust_contrast)(image, 0.5))
show("hue", jax.jit(dm_pix.adjust_hue)(image, 0.1))
show("blur", dm_pix.gaussian_blur(image, 1.0, 3))
show("hsv", dm_pix.rgb_to_hsv(image))
show("rotated", dm_pix.rotate(image, 0.3))
show("brightness", dm_pix.random_brightness(jax.random.key(1), image, 0.3))
show("likeness", [dm_pix.ssim(image, image * 0.9), dm_pix.psnr(image, image * 0.9)])
