from shop.total import total


def receipt(items):
    lines = [f"{item['count']} x {item['name']}" for item in items]
    lines.append(f"Total {total(items) / 100:.2f}")
    return "\n".join(lines)
