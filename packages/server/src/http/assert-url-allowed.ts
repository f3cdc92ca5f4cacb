import { ApiError } from '@touchstone/contract'
import { OutboundError } from '../outbound/allowed-targets.ts'
import type { Outbound } from '../outbound/open-outbound.ts'

/**
 * Checks a URL of a user itself; host names are resolved when it is called.
 *
 * @throws ApiError INVALID_REQUEST when the server may never call it
 */
export function assertUrlAllowed({ outbound }: { readonly outbound: Outbound }, url: string): void {
  try {
    outbound.check(url)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw new ApiError('INVALID_REQUEST', error.message, { cause: error })
  }
}
