import { describe, expect, it } from 'vitest'
import { allRoutes, contract } from './contract.ts'
import { BODY_LIMITS } from './route.ts'

describe('the body limit of a route', () => {
  it('is at most 64 kB where anybody may call', () => {
    const open = allRoutes().filter(({ access }) => access === 'public')
    const tooLarge = open.filter(({ maxBodyBytes }) => maxBodyBytes === 'configured' || maxBodyBytes > 64 * 1024)
    expect(tooLarge.map(({ path }) => path)).toEqual([])
  })

  it('exists for every route', () => {
    for (const { maxBodyBytes } of allRoutes()) {
      expect(maxBodyBytes === 'configured' || (maxBodyBytes > 0 && maxBodyBytes <= BODY_LIMITS.record)).toBe(true)
    }
  })

  it('is 16 kB where credentials are sent', () => {
    const { setUp, signIn, signOut } = contract.accounts
    for (const route of [setUp, signIn, signOut, contract.members.acceptInvite]) {
      expect(route.maxBodyBytes).toBe(16 * 1024)
    }
  })
})
