"""Colors for the programs of the gallery, and the picture files that they write."""

import sys

import numpy as np
from PIL import Image


def blend(values, *colors):
    """Colors of an array of values. colors: like "#ffa000", for values equally spaced from 0 to 1."""
    stops = np.linspace(0, 1, len(colors))
    rgb = [[int(color[k : k + 2], 16) for color in colors] for k in (1, 3, 5)]
    return np.stack([np.interp(values, stops, channel) for channel in rgb], axis=-1).astype(
        np.uint8
    )


def write_picture(picture, name):
    """Writes an RGB array to the file that the command line names, by default NAME.webp."""
    path = sys.argv[1] if len(sys.argv) > 1 else f"{name}.webp"
    Image.fromarray(picture).save(path, quality=80, method=6)
    height, width, _ = picture.shape
    print(f"wrote {width} x {height} pixels to {path}")
