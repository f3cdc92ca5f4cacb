import { describe, expect, it } from 'vitest'
import { allRoutes, contract } from '../contract.ts'
import * as routes from '../routes.ts'
import { BODY_LIMITS } from './route.ts'

describe('the body limit of a route', () => {
  it('is at most 64 kB where anybody may call', () => {
    const open = allRoutes().filter(({ access }) => access === 'public')
    const tooLarge = open.filter(({ maxBodyBytes }) => maxBodyBytes === 'configured' || maxBodyBytes > 64 * 1024)
    // Its handler checks the signed token before it reads the body.
    expect(tooLarge.map(({ path }) => path)).toEqual(['/api/public/media/uploads/{token}'])
  })

  it('exists for every route', () => {
    for (const { maxBodyBytes } of allRoutes()) {
      expect(maxBodyBytes === 'configured' || (maxBodyBytes > 0 && maxBodyBytes <= BODY_LIMITS.telemetry)).toBe(true)
    }
  })

  it('is 16 kB where credentials are sent', () => {
    const { setUp, signIn, signOut } = contract.accounts
    for (const route of [setUp, signIn, signOut, contract.members.acceptInvite]) {
      expect(route.maxBodyBytes).toBe(16 * 1024)
    }
  })
})

describe('the routes', () => {
  it('are the nouns and verbs of the contract', () => {
    const verbs = (nouns: object) => Object.entries(nouns).map(([noun, of]) => [noun, Object.keys(of as object)])
    expect(new Map(verbs(contract) as never)).toEqual(new Map(verbs(routes) as never))
  })

  it('answer failures in the form of their family unless they name another', () => {
    const named = allRoutes().filter((route) => route.errors !== FORMS[route.family])
    expect(new Set(named.map(({ tag, errors }) => `${tag}: ${errors}`))).toEqual(
      new Set([
        'runs: ingest',
        'opentelemetry: otlp',
        'experiments: platform',
        'prompts: platform',
        'prompt commits: platform',
      ]),
    )
  })
})

const FORMS = { v1: 'classic', v2: 'problem', platform: 'platform', root: 'classic' }
