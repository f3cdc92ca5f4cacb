import { env } from '../config/env.ts'
import { detectRuntime, runtimeVersion } from '../runtime/runtime.ts'
import type { BaseRun, KVMap } from '../schemas.ts'
import { version } from '../version.ts'

/** Information about the sender that every run of a client carries. */
export interface Origin {
  revision: string | undefined
  samplingRate: number | undefined
}

/**
 * Adds the sender information that the run page shows. Only the revision is read from the environment: copying
 * environment variables into traces can leak secrets.
 */
export function addRuntimeInfo<R extends BaseRun>(run: R, { revision, samplingRate }: Origin): R {
  const { extra } = run
  const metadata: KVMap = {
    ...(revision && { revision_id: revision }),
    ...(samplingRate !== undefined && { ls_tracing_sample_rate: samplingRate }),
    ...extra?.metadata,
  }
  return { ...run, extra: { ...extra, runtime: { ...getRuntimeInfo(), ...extra?.runtime }, metadata } }
}

/** Adds `extra.runtime`, under the function name of the public package. */
export function mergeRuntimeEnvIntoRun<R extends BaseRun>(run: R): R {
  return addRuntimeInfo(run, { revision: env('REVISION_ID'), samplingRate: undefined })
}

let cached: KVMap | undefined

function getRuntimeInfo(): KVMap {
  cached ??= {
    library: 'touchstone',
    sdk: 'touchstone-js',
    sdk_version: version,
    runtime: detectRuntime(),
    runtime_version: runtimeVersion(),
  }
  return cached
}
