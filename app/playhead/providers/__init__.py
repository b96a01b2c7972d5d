"""Language models become chunks here: what a model is sent, its worker process, its answer.

Only `bootstrap` may import it. Free of Qt.
"""
