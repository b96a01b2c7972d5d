# Five words: run, test, lint, bench, package; and system, screenshots, soak. All is in .venv.
# Paths are relative on purpose: the folder may have spaces in its name.
PY := .venv/bin/python
DISPLAYED := $(PY) -m tests.support.display --
# What a command needs of the system is seen to first, then .venv.
system = sh packaging/system.sh $(1) && sh packaging/setup.sh $(2)

.PHONY: run test lint bench package package-test system screenshots soak translations setup-run setup-dev

run:
	@$(call system,run,run)
	@$(PY) -m playhead $(ARGS)

# ALL=1: with those that need other languages' programs, other SDKs, or packing.
test:
	@$(if $(ALL),$(call system,all,all),$(call system,test,dev))
	@$(if $(ARGS),,$(MAKE) --no-print-directory lint)
	@$(if $(ALL),PLAYHEAD_TEST_ALL=1) $(DISPLAYED) $(PY) -m pytest -n auto --dist worksteal $(ARGS)

lint: setup-dev
	@$(PY) -m ruff check
	@$(PY) -m ruff format --check
	@$(PY) -m basedpyright --threads 2
	@.venv/bin/lint-imports --no-logo

bench:
	@$(call system,test,dev)
	@$(DISPLAYED) $(PY) -m tests.benchmarks all $(ARGS)

package:
	@$(call system,package,dev)
	@$(PY) packaging/package.py

# As root: on a bare Debian in a folder, without Python, as a user without rights.
package-test:
	@ls dist/*.deb >/dev/null 2>&1 || { echo "There is no Debian package in dist/: \`make package\` makes one." >&2; exit 1; }
	@[ "$$(id -u)" = 0 ] || { echo "This needs root: sudo make package-test" >&2; exit 1; }
	@$(call system,package-test,dev)
	@unshare --mount --propagation private $(PY) -m tests.packaging.clean_root dist/*.deb

screenshots:
	@$(call system,test,dev)
	@$(PY) -m tests.support.screenshots docs/images
	@$(PY) -m tests.support.gallery test-results/gallery
	@CARD_PICTURES=write $(DISPLAYED) $(PY) -m pytest -q tests/ui/timeline/cards/test_card_pictures.py

translations: setup-dev
	@$(PY) -m tests.support.catalogue

soak:
	@$(call system,test,dev)
	@$(PY) -m tests.soak $(ARGS)

system:
	@sh packaging/system.sh system

setup-run:
	@$(call system,lint,run)

setup-dev:
	@$(call system,lint,dev)
