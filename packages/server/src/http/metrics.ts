import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** The metrics of the server; `/metrics` prints them for Prometheus. */
export interface Metrics {
  /** Rows and bytes of an ingest request. */
  ingested(rows: number, bytes: number): void
  /** Rows and bytes that wait to be stored now. */
  buffered(rows: number, bytes: number): void
  /** Reads the state of the journal whenever the metrics are printed. */
  watchJournal(read: () => { readonly bytes: number; readonly lagSeconds: number }): void
  /** Items that the store refused after they were acknowledged. */
  refusedLate(items: number): void
  /** Seconds from the arrival of an ingest request until it was acknowledged. */
  acknowledged(seconds: number): void
  /** Seconds of a named query in its engine. */
  queried(name: string, seconds: number): void
  /** An engine refused a statement or failed. */
  engineFailed(engine: string): void
  /** A sweep of the blob store ended. */
  sweptBlobs(found: SweptBlobs): void
  /** A request was answered; `route` is the template and not the path, so that the number of labels stays small. */
  answered(method: string, route: string, status: number, seconds: number): void
  /** All metrics in the text format of Prometheus. */
  print(): Promise<string>
}

/** The result of a sweep of the blob store. */
export interface SweptBlobs {
  /** Stored now, referenced or not. */
  readonly blobs: number
  readonly bytes: number
  /** The unreferenced ones of them, which wait for their removal. */
  readonly unreferenced: number
  readonly unreferencedBytes: number
  readonly removed: number
  readonly removedBytes: number
  /** Milliseconds since 1970. */
  readonly endedAtMs: number
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const common = { registers: [registry] }
  const name = (rest: string) => `touchstone_${rest}`
  const requests = new Histogram({
    ...common,
    name: name('http_request_seconds'),
    help: 'Time to answer a request',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
  })
  const rows = new Counter({ ...common, name: name('ingest_rows_total'), help: 'Runs received' })
  const bytes = new Counter({ ...common, name: name('ingest_bytes_total'), help: 'Bytes of runs received' })
  const waitingRows = new Gauge({ ...common, name: name('buffer_rows'), help: 'Runs waiting to be stored' })
  const waitingBytes = new Gauge({ ...common, name: name('buffer_bytes'), help: 'Bytes waiting to be stored' })
  let readJournal = () => ({ bytes: 0, lagSeconds: 0 })
  new Gauge({
    ...common,
    name: name('journal_bytes'),
    help: 'Bytes of the journal of acknowledged runs',
    collect() {
      this.set(readJournal().bytes)
    },
  })
  new Gauge({
    ...common,
    name: name('journal_lag_seconds'),
    help: 'Time since the oldest run that is not in the column store was acknowledged',
    collect() {
      this.set(readJournal().lagSeconds)
    },
  })
  const refusedLate = new Counter({
    ...common,
    name: name('journal_refused_total'),
    help: 'Acknowledged runs that the column store refused; they are kept in files',
  })
  const acknowledged = new Histogram({
    ...common,
    name: name('ingest_acknowledge_seconds'),
    help: 'Time from arrival to durable storage',
    buckets: SECONDS,
  })
  const queries = new Histogram({
    ...common,
    name: name('query_seconds'),
    help: 'Time of a query in its engine',
    labelNames: ['query'],
    buckets: SECONDS,
  })
  const gauge = (rest: string, help: string) => new Gauge({ ...common, name: name(rest), help })
  const blobs = gauge('blobs', 'Stored blobs at the end of the last sweep')
  const blobBytes = gauge('blob_bytes', 'Bytes of stored blobs at the end of the last sweep')
  const unreferencedBytes = gauge('blob_unreferenced_bytes', 'Bytes of blobs that wait for their removal')
  const sweptAt = gauge('blob_sweep_timestamp_seconds', 'When the last sweep of blobs ended')
  const removedBytes = new Counter({
    ...common,
    name: name('blob_removed_bytes_total'),
    help: 'Bytes of removed blobs',
  })
  const failures = new Counter({
    ...common,
    name: name('engine_errors_total'),
    help: 'Errors of a storage engine',
    labelNames: ['engine'],
  })
  return {
    ingested(rowCount, byteCount) {
      rows.inc(rowCount)
      bytes.inc(byteCount)
    },
    buffered(rowCount, byteCount) {
      waitingRows.set(rowCount)
      waitingBytes.set(byteCount)
    },
    watchJournal(read) {
      readJournal = read
    },
    refusedLate: (items) => refusedLate.inc(items),
    acknowledged: (seconds) => acknowledged.observe(seconds),
    queried: (query, seconds) => queries.observe({ query }, seconds),
    engineFailed: (engine) => failures.inc({ engine }),
    sweptBlobs(found) {
      blobs.set(found.blobs)
      blobBytes.set(found.bytes)
      unreferencedBytes.set(found.unreferencedBytes)
      sweptAt.set(found.endedAtMs / 1000)
      removedBytes.inc(found.removedBytes)
    },
    answered: (method, route, status, seconds) => requests.observe({ method, route, status }, seconds),
    print: () => registry.metrics(),
  }
}
