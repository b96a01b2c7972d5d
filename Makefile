# Five words: run, test, lint, bench, package; and system, screenshots, soak. All is in .venv.
# Paths are relative on purpose: the folder may have spaces in its name.
PY := .venv/bin/python
DISPLAYED := $(PY) -m tests.support.display --

.PHONY: run test lint bench package package-test system screenshots soak translations setup-run setup-dev

run: setup-run
	@sh packaging/system.sh check run
	@$(PY) -m playhead $(ARGS)

test: setup-dev
	@sh packaging/system.sh check test
	@$(if $(ARGS),,$(MAKE) --no-print-directory lint)
	@$(DISPLAYED) $(PY) -m pytest -n auto --dist worksteal $(ARGS)

lint: setup-dev
	@$(PY) -m ruff check
	@$(PY) -m ruff format --check
	@$(PY) -m basedpyright
	@.venv/bin/lint-imports --no-logo

bench: setup-dev
	@sh packaging/system.sh check test
	@$(DISPLAYED) $(PY) -m tests.benchmarks all $(ARGS)

package: setup-dev
	@$(PY) packaging/package.py

# As root: on a bare Debian in a folder, without Python, as a user without rights.
package-test: setup-dev
	@unshare --mount --propagation private $(PY) -m tests.packaging.clean_root dist/*.deb

screenshots: setup-dev
	@sh packaging/system.sh check test
	@$(PY) -m tests.support.screenshots docs/images
	@$(PY) -m tests.support.gallery test-results/gallery
	@CARD_PICTURES=write $(DISPLAYED) $(PY) -m pytest -q tests/ui/timeline/test_card_pictures.py

translations: setup-dev
	@$(PY) -m tests.support.catalogue

soak: setup-dev
	@$(PY) -m tests.soak $(ARGS)

system:
	@sh packaging/system.sh install

setup-run:
	@sh packaging/setup.sh run

setup-dev:
	@sh packaging/setup.sh dev
