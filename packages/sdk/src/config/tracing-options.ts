import { DEFAULT_MAX_SIZE_BYTES, MemoryBudget, TurnBudget } from '../tracing/batching/budgets.ts'
import { createDump, type Dump } from '../tracing/batching/dump.ts'
import type { OutboxOptions } from '../tracing/batching/outbox.ts'
import { type Redaction, resolveRedaction } from '../tracing/redact.ts'
import type { Origin } from '../tracing/runtime-info.ts'
import type { ClientConfig } from './client-config.ts'
import { samplingRateOf } from './connection.ts'
import { env, envIsTrue, readVariable } from './env.ts'

/** How runs are recorded, complete. */
export interface TracingOptions {
  batches: boolean
  blocksOnRootRun: boolean
  manual: boolean
  samplingRate: number | undefined
  redaction: Redaction
  /** Added to every run, unless the client is to leave it out. */
  origin: Origin | undefined
  outbox: OutboxOptions
}

export function resolveTracingOptions(config: ClientConfig): TracingOptions {
  const manual = config.manualFlushMode ?? false
  const rate = samplingRateOf(config)
  const maxMemory = config.maxIngestMemoryBytes ?? config.callerOptions?.maxQueueSizeBytes ?? DEFAULT_MAX_SIZE_BYTES
  return {
    batches: config.autoBatchTracing ?? true,
    blocksOnRootRun: config.blockOnRootRunFinalization ?? background() === 'false',
    manual,
    samplingRate: rate,
    redaction: resolveRedaction(config),
    origin: config.omitTracedRuntimeInfo ? undefined : { revision: env('REVISION_ID'), samplingRate: rate },
    outbox: {
      maxRuns: config.batchSizeLimit,
      maxBytes: config.batchSizeBytesLimit,
      maxAgeMs: config.batchMaxAgeMs ?? 250,
      concurrency: config.traceBatchConcurrency ?? 5,
      manual,
      compress: config.compressRuns ?? !envIsTrue('DISABLE_RUN_COMPRESSION'),
      memory: new MemoryBudget(maxMemory),
      budget: new TurnBudget(),
      dump: dumpFromEnv(),
    },
  }
}

/** What can be wrong before anything is sent, said where the mistake is made. */
export function checkConfig(config: ClientConfig): void {
  if (config.traceBatchConcurrency !== undefined && config.traceBatchConcurrency < 1) {
    throw new Error('Trace batch concurrency must be positive.')
  }
  samplingRateOf(config)
  new Headers(config.headers)
}

function background(): string | undefined {
  return readVariable('TOUCHSTONE_TRACING_BACKGROUND') || readVariable('LANGSMITH_TRACING_BACKGROUND')
}

function dumpFromEnv(): Dump | undefined {
  const directory = env('FAILED_TRACES_DIR')
  const megabytes = Number(env('FAILED_TRACES_MAX_MB'))
  return directory ? createDump(directory, (megabytes > 0 ? megabytes : 100) * 1024 * 1024) : undefined
}
