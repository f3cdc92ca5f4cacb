import { ApiError, uuid7 } from '@touchstone/contract'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { modelCalls } from '../../storage/relational/tables/model-jobs.ts'
import { openEmptyPglite } from '../../testing/pglite-template.ts'
import { keepCall, recordCall } from './record-call.ts'

describe('the recording of a call', () => {
  const call = {
    job_id: uuid7(),
    tenant_id: uuid7(),
    number: 0,
    variant: 0,
    run_id: uuid7(),
    cost: null,
    problem: null,
  }
  const recordWith = async (fail: (call: number) => void) => {
    const relational = await openEmptyPglite()
    // The call has no job.
    await relational.runScript('set session_replication_role = replica')
    try {
      let calls = 0
      const deps = { relational, log: pino({ level: 'silent' }) }
      const { signal } = new AbortController()
      const kept = await keepCall(deps, call, { run: { id: call.run_id } }, signal)
      const isRefused = await recordCall(deps, kept!, {
        record: async () => {
          fail(++calls)
          return { isRefused: false, errors: [], cost: null }
        },
        signal,
        firstWaitMs: 1,
      })
        .then((recorded) => recorded.isRefused)
        .catch((error: Error) => error.message)
      const rows = await relational.db.select().from(modelCalls)
      return { calls, isRefused, error: rows[0]?.evaluator_error, isKept: rows[0]?.answer !== null }
    } finally {
      await relational.close()
    }
  }
  const error = expect.stringContaining('could not be recorded')

  it('is given up when it fails again and again, and kept while a store does not answer', async () => {
    const broken = await recordWith(() => {
      throw new Error('broken')
    })
    expect(broken).toEqual({ calls: 5, isRefused: false, error, isKept: false })
    const refused = await recordWith(() => {
      throw new ApiError('INVALID_REQUEST', 'No\0.')
    })
    expect(refused).toEqual({ calls: 1, isRefused: true, error, isKept: false })
    const once = await recordWith((count) => {
      if (count === 1) throw new Error('broken')
    })
    expect(once).toEqual({ calls: 2, isRefused: false, error: null, isKept: false })
    const away = await recordWith(() => {
      throw new ApiError('UNAVAILABLE')
    })
    expect(away).toMatchObject({ calls: 1, isKept: true })
  })
})
