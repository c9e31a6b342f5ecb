"""Pages that are one self-contained HTML file."""

from html import escape


def format_html_document(title, style, body):
    """The page with a title and a style sheet. body: HTML."""
    return f"""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
"""
