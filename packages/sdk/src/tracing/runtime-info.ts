import { env } from '../config/env.ts'
import { detectRuntime, runtimeVersion } from '../runtime/detect.ts'
import type { BaseRun, KVMap } from '../schemas.ts'
import { version } from '../version.ts'

/** What every run of a client says about where it comes from. */
export interface Origin {
  revision: string | undefined
  samplingRate: number | undefined
}

/**
 * Adds what the run page shows about the sender. From the environment only the revision is taken: copying variables into
 * traces has leaked secrets elsewhere.
 */
export function withRuntime<R extends BaseRun>(run: R, { revision, samplingRate }: Origin): R {
  const { extra } = run
  const metadata: KVMap = {
    ...(revision && { revision_id: revision }),
    ...(samplingRate !== undefined && { ls_tracing_sample_rate: samplingRate }),
    ...extra?.metadata,
  }
  return { ...run, extra: { ...extra, runtime: { ...runtimeInfo(), ...extra?.runtime }, metadata } }
}

/** The run with `extra.runtime`, under the name of the public package. */
export function mergeRuntimeEnvIntoRun<R extends BaseRun>(run: R): R {
  return withRuntime(run, { revision: env('REVISION_ID'), samplingRate: undefined })
}

let known: KVMap | undefined

function runtimeInfo(): KVMap {
  known ??= {
    library: 'touchstone',
    sdk: 'touchstone-js',
    sdk_version: version,
    runtime: detectRuntime(),
    runtime_version: runtimeVersion(),
  }
  return known
}
