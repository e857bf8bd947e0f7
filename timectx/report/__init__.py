"""Write one self-contained page on what each refresh interval costs and buys."""

from timectx.report.write import report_html, write_report

__all__ = ["report_html", "write_report"]
