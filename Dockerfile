# The server with its web UI on embedded stores, from the packages as they are published.
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --no-audit --no-fund && npm run pack

FROM node:22-bookworm-slim
WORKDIR /app
COPY --from=build /src/.cache/packages /tmp/packages
RUN npm install --omit=dev --no-audit --no-fund /tmp/packages/touchstone-server-*.tgz /tmp/packages/touchstone-[0-9]*.tgz \
  && npm cache clean --force \
  && rm -r /tmp/packages \
  && install --directory --owner=node --group=node /data
USER node
# In a container every request comes from another address, so the server asks to be set up with the code that it prints.
ENV TOUCHSTONE_HOST=0.0.0.0 TOUCHSTONE_DATA_DIR=/data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:3000/ok').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node_modules/.bin/touchstone", "start"]
