"""Writes python_formats.inc: what Python itself prints, for numbers_test's comparison.

Usage: python3 make_python_formats.py > python_formats.inc

Each row is X(value as float.hex, format, text). The values are borders of printed decimals with their neighbours,
ties, powers of ten, and a few random numbers from a fixed seed.
"""

import math
import random
from fractions import Fraction

FORMATS = {
    "r1": lambda v: repr(round(v, 1)),
    "r2": lambda v: repr(round(v, 2)),
    "r3": lambda v: repr(round(v, 3)),
    "f1": lambda v: f"{v:.1f}",
    "f2": lambda v: f"{v:.2f}",
    "f3": lambda v: f"{v:.3f}",
    "p0": lambda v: f"{v:.0%}".removesuffix("%"),
    "g3": lambda v: f"{v:.3g}",
    "c1": lambda v: str(round(v)) if v >= 1 else f"{v:.1g}",
    "thousands": lambda v: f"{v:,.0f}",
    "python_float": repr,
}
DECIMALS = {"r1": 1, "r2": 2, "r3": 3, "f1": 1, "f2": 2, "f3": 3, "thousands": 0}

# Ties that binary64 represents, and values whose layout changes.
EXACT = {
    "r1": ["0.25", "0.75", "2.5", "12.25", "-0.04", "1e16", "1.5e17", "1e300"],
    "r2": ["0.125", "0.375", "7.625", "0.005", "2.675", "1e15", "123456789012.345"],
    "r3": ["0.0625", "0.1875", "0.0005", "3.8584", "1e-7", "8388608.0005", "1e15", "1234567890123456.75", "1e16",
           "-1.0625"],
    "f1": ["0.25", "0.75", "0.05", "1e22", "-0.01"],
    "f2": ["0.125", "0.375", "48.185", "1e21"],
    "f3": ["0.0625", "0.1875", "1.3865", "1e-9", "4503599627370497.5"],
    "p0": ["0.005", "0.015", "0.025", "0.125", "0.145", "0.285", "0.575", "1.035", "1.04",
           "0.85", "-0.05", "-0.001", "1e20"],
    "g3": ["0", "999.5", "99.95", "0.0009995", "1000", "1234.5", "5e-5", "0.0001", "99.5",
           "100.5", "12.25", "1e100", "0.974"],
    "c1": ["0", "0.95", "0.96", "1", "1.5", "2.5", "3.5", "0.25", "0.35", "0.095", "3e-5", "9.5e-5", "0.0001", "7e-10",
           "1e15", "1e17", "5e-324"],
    "thousands": ["999.5", "1709", "1000000", "0.5", "1.5", "123456789.5", "-1234", "-0.25", "12345678901234567890"],
    "python_float": ["0.2", "1e-5", "0.0001", "1e16", "9999999999999998", "1e22", "0.1", "5e-324", "1.5", "3", "-0.0",
                     "1.7976931348623157e308", "123456.789", "9007199254740993"],
}


def around(value):
    return [math.nextafter(value, -math.inf), value, math.nextafter(value, math.inf)]


def border_values(rng, name):
    """The doubles around random borders (2 n + 1) / (2 * 10^decimals)."""
    values = []
    for _ in range(4):
        units = rng.randrange(10 ** rng.randrange(1, 10))
        values += around(float(Fraction(2 * units + 1, 2 * 10 ** DECIMALS[name])))
    return values


def values_of(rng, name):
    values = []
    for text in EXACT[name]:
        value = float(text)
        values += around(value) if name in ("p0", "g3", "c1") and value not in (0.0, 5e-324) else [value]
    if name in DECIMALS:
        values += border_values(rng, name)
    values += [rng.uniform(0, 10 ** rng.randrange(-3, 5)) for _ in range(4)]
    return values + [math.nan]


def main():
    rng = random.Random(20260821)
    print("// Made by make_python_formats.py: value, format, what Python prints.")
    for name, python_format in FORMATS.items():
        for value in values_of(rng, name):
            print(f'X("{value.hex()}", {name}, "{python_format(value)}")')


if __name__ == "__main__":
    main()
