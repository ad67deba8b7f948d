"""Prices are whole cents."""


def total(items):
    """The sum of a cart."""
    return sum(item["price"] * item["count"] for item in items)
