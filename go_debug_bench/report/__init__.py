"""What a run of the checks showed, as a document: versioned JSON, Markdown and one HTML page."""
