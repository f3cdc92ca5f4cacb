import { contract } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'
import { createReadinessCheck } from './readiness.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

describe('/ready', () => {
  it('answers 200 while both stores answer', async () => {
    const { status, body } = await app.call(contract.info.ready)
    expect([status, body]).toEqual([200, { ready: true }])
    expect((await app.fetch('/ready')).status).toBe(200)
  })

  it('names the store that fails', async () => {
    const relational = { ...app.deps.relational, db: { execute: () => Promise.reject(new Error('gone')) } }
    const check = createReadinessCheck({ ...app.deps, relational: relational as never })
    await expect(check()).rejects.toMatchObject({ code: 'UNAVAILABLE', message: 'The relational store failed.' })
  })

  it('names the store that does not answer, and asks it once', async () => {
    let asked = 0
    const query = () => {
      asked++
      return new Promise<never[]>(() => {})
    }
    const relational = { ...app.deps.relational, db: { execute: async () => {} } } as never
    const check = createReadinessCheck({ relational, analytics: { ...app.deps.analytics, query } }, 20)
    const message = 'The analytics store did not answer within 0.02 s.'
    for (let probes = 0; probes < 3; probes++) await expect(check()).rejects.toMatchObject({ message })
    expect(asked).toBe(1)
  })
})
