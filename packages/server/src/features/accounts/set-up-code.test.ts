import { describe, expect, it } from 'vitest'
import { createStoreMemory } from '../../storage/relational/store-memory.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'
import { forgetSetupCode, readSetupCode } from './set-up-code.ts'

describe.each(relationalEngines(import.meta.filename))('the set-up code on %s', (_, open) => {
  it('is the same in every process, and another one after it was used', async () => {
    const relational = await open()
    const inAnotherProcess = () => ({ ...relational, memory: createStoreMemory() })
    const code = await readSetupCode(relational)
    expect(code).toMatch(/^([a-z2-9]{4}-){3}[a-z2-9]{4}$/)
    expect(await readSetupCode(inAnotherProcess())).toBe(code)
    await relational.transaction(forgetSetupCode)
    expect(await readSetupCode(inAnotherProcess())).not.toBe(code)
    await relational.close()
  })
})
