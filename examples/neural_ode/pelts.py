"""Pelts of hare and lynx that the Hudson's Bay Company took in, in thousands, each year from 1900 to 1920.

Source: the company's records, as C. G. Hewitt (The Conservation of the Wild Life of Canada, 1921) and D. A. MacLulich
(Fluctuations in the Numbers of the Varying Hare, 1937) gathered them and E. P. Odum (Fundamentals of Ecology, 1953)
tabulates them. The counts are in the public domain.
"""

import numpy as np

YEARS = np.arange(1900, 1921)
HARE = np.array(
    [
        *(30.0, 47.2, 70.2, 77.4, 36.3, 20.6, 18.1, 21.4, 22.0, 25.4, 27.1),
        *(40.3, 57.0, 76.6, 52.3, 19.5, 11.2, 7.6, 14.6, 16.2, 24.7),
    ]
)
LYNX = np.array(
    [
        *(4.0, 6.1, 9.8, 35.2, 59.4, 41.7, 19.0, 13.0, 8.3, 9.1, 7.4),
        *(8.0, 12.3, 19.5, 45.7, 51.1, 29.7, 15.8, 9.7, 10.1, 8.6),
    ]
)
