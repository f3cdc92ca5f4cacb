import type { Route } from '@touchstone/contract'
import type { Answered, CallInput, StartedApp } from './start-app.ts'

/** Calls the server like a page of the server: with its Origin, and with the cookie that it received. */
export interface ABrowser {
  call<Of extends Route>(route: Of, input?: CallInput): Promise<Answered<Of>>
  /** The cookie that is sent; empty before a sign-in. */
  cookie(): string
}

export function aBrowser(app: StartedApp): ABrowser {
  let cookie = ''
  return {
    cookie: () => cookie,
    async call(route, input = {}) {
      const headers = { origin: app.url, ...(cookie !== '' && { cookie }), ...input.headers }
      const answer = await app.call(route, { ...input, headers })
      const given = answer.headers.getSetCookie()[0]?.split(';')[0]
      if (given !== undefined) cookie = given.endsWith('=') ? '' : given
      return answer
    },
  }
}
