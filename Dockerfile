# Two stages with one layout: /srv/countersign holds the sources and their .venv, as a checkout does.
FROM python:3.11-slim-bookworm AS build
WORKDIR /srv/countersign
COPY requirements ./requirements
RUN python -m venv .venv \
    && .venv/bin/python -m pip install --no-cache-dir --quiet --require-hashes -r requirements/uv.txt \
    && .venv/bin/uv pip install --no-cache --quiet --compile-bytecode --python .venv/bin/python \
        --require-hashes -r requirements/app.txt
COPY . .
RUN .venv/bin/uv pip install --no-cache --quiet --python .venv/bin/python --no-deps --no-build-isolation --editable . \
    && COUNTERSIGN_SECRET_KEY=only-for-building COUNTERSIGN_STATIC_DIR=/srv/countersign/static \
        .venv/bin/python manage.py collectstatic --no-input --verbosity 0

FROM python:3.11-slim-bookworm
# Without libharfbuzz-subset0 the bytes of a PDF differ from run to run. Versions follow the release of the base image.
# hadolint ignore=DL3008
RUN apt-get update -qq \
    && apt-get install --yes -qq --no-install-recommends \
        fontconfig fonts-dejavu-core fonts-inter libharfbuzz-subset0 libpango-1.0-0 libpangoft2-1.0-0 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --user-group --home-dir /srv/countersign countersign \
    && install --directory --owner countersign --group countersign /var/lib/countersign
COPY --from=build /srv/countersign /srv/countersign
WORKDIR /srv/countersign
USER 10001:10001
ENV COUNTERSIGN_DATA_DIR=/var/lib/countersign \
    COUNTERSIGN_STATIC_DIR=/srv/countersign/static \
    HOST=0.0.0.0 \
    MPLBACKEND=agg \
    MPLCONFIGDIR=/tmp/matplotlib \
    XDG_CACHE_HOME=/tmp/cache \
    PYTHONUNBUFFERED=1
VOLUME /var/lib/countersign
EXPOSE 8000
ENTRYPOINT ["scripts/service.sh"]
CMD ["web"]
