"""keras: layers of each kind, trained, saved and read again, on the backend jax."""

import os

os.environ["KERAS_BACKEND"] = "jax"

import tempfile
from pathlib import Path

import keras
import numpy as np
from keras import layers, ops
from reporting import show

random = np.random.default_rng(0)
images = random.normal(size=(64, 8, 8, 1)).astype("float32")
kinds = (images.mean((1, 2, 3)) > 0).astype("int32")
keras.utils.set_random_seed(0)
model = keras.Sequential(
    [
        layers.Input((8, 8, 1)),
        layers.Conv2D(4, 3, activation="relu"),
        layers.BatchNormalization(),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dropout(0.3),
        layers.Dense(2),
    ]
)
model.compile(
    "adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"]
)
history = model.fit(images, kinds, epochs=3, batch_size=16, verbose=0, shuffle=False).history
show("losses", history["loss"])
show("evaluate", model.evaluate(images, kinds, verbose=0))
show("predict", model.predict(images[:4], verbose=0))
with tempfile.TemporaryDirectory() as folder:
    model.save(Path(folder) / "model.keras")
    again = keras.models.load_model(Path(folder) / "model.keras")
show("saved and read", again.predict(images[:4], verbose=0))

words = random.integers(0, 20, size=(32, 10))
even = (words.sum(1) % 2).astype("float32")
for name, layer in {
    "LSTM": layers.LSTM(8),
    "GRU": layers.GRU(8),
    "both directions": layers.Bidirectional(layers.LSTM(4)),
}.items():
    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [layers.Embedding(20, 6), layer, layers.Dense(1, activation="sigmoid")]
    )
    model.compile(keras.optimizers.SGD(0.1), "binary_crossentropy")
    show(
        name,
        model.fit(words, even, epochs=2, batch_size=8, verbose=0, shuffle=False).history["loss"],
    )

keras.utils.set_random_seed(2)
given = layers.Input((10, 6))
attended = layers.LayerNormalization()(layers.MultiHeadAttention(2, 4)(given, given) + given)
model = keras.Model(given, layers.Dense(1)(layers.GlobalAveragePooling1D()(attended)))
model.compile(keras.optimizers.AdamW(1e-2), "mse")
rows = random.normal(size=(32, 10, 6)).astype("float32")
show(
    "attention",
    model.fit(rows, rows.sum((1, 2)), epochs=3, verbose=0, shuffle=False).history["loss"],
)

x = rows[0]
show("resize", ops.image.resize(images[:1], (5, 5)))
show("top_k", ops.top_k(x, 2)[0])
show("scan", ops.scan(lambda c, y: (c + y, c * y), np.float32(1), np.arange(4, dtype="float32"))[1])
show("while", ops.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s * 2), (0, 1.0))[1])
show("fft", ops.fft((x, 0 * x)))
show("svd", ops.svd(x)[1])
show("normal", keras.random.normal((3,), seed=3))
show("truncated normal", keras.random.truncated_normal((4,), seed=1))
show("gamma", keras.random.gamma((4,), 2.0, seed=1))
show("categorical", keras.random.categorical(x, 2, seed=1))
