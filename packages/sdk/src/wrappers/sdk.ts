import type { RunTreeConfig } from '../tracing/run-tree.ts'
import { getBoundMember } from '../tracing/traceable/streams.ts'
import { traceable } from '../tracing/traceable/traceable.ts'
import type { AnyFunction } from '../tracing/traceable/types.ts'

/** An object is plain data when its prototype is that of a literal. */
const isData = (value: object) => Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype

export type SDKOptions = Partial<RunTreeConfig> & {
  /** An old name of `name`. */
  runName?: string
}

/**
 * Records every call of every method of an object, at any depth, as a run named `Class.path.method`. Other values pass
 * through. For clients that have no wrapper of their own.
 *
 * @param options  for all runs; `run_type` is `llm` by default
 * @example const cohere = wrapSDK(new CohereClient())
 */
export function wrapSDK<SDK extends object>(sdk: SDK, { runName, ...options }: SDKOptions = {}): SDK {
  const name = options.name ?? runName
  const own = { run_type: 'llm', ...options, ...(name !== undefined && { name }) }
  return wrapObject(sdk, [sdk.constructor?.name ?? 'SDK'], own)
}

function wrapObject<Value extends object>(
  value: Value,
  path: readonly string[],
  options: Partial<RunTreeConfig>,
): Value {
  const made = new Map<PropertyKey, { readonly from: unknown; readonly to: unknown }>()
  return new Proxy(value, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target)
      if (typeof key !== 'string' || key === 'constructor') return getBoundMember(target, key)
      const kept = made.get(key)
      if (kept !== undefined && kept.from === member) return kept.to
      const below = [...path, key]
      const to =
        typeof member === 'function'
          ? traceable(member.bind(target) as AnyFunction, { ...options, name: options.name ?? below.join('.') })
          : typeof member === 'object' && member !== null && !isData(member)
            ? wrapObject(member, below, options)
            : member
      made.set(key, { from: member, to })
      return to
    },
  })
}
