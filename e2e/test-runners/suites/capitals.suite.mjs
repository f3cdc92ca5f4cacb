// One suite for every runner and every client; which ones is said by the environment.
const ls = await import(process.env.SUITE_ENTRY)
// The public client's own `expect` has lost the ordinary matchers in the Vitest of today.
const { expect } = process.env.SUITE_EXPECT ? await import(process.env.SUITE_EXPECT) : ls

const KNOWN = { France: 'Paris', Peru: 'Lima', Chad: "N'Djamena" }

const correct = ({ outputs, referenceOutputs }) => ({
  key: 'correct',
  score: outputs.capital === referenceOutputs.capital ? 1 : 0,
})

ls.describe(process.env.SUITE_NAME, () => {
  ls.test(
    'knows France',
    { inputs: { country: 'France' }, referenceOutputs: { capital: 'Paris' }, split: 'easy', metadata: { level: 1 } },
    async ({ inputs, referenceOutputs, testMetadata }) => {
      const outputs = { capital: KNOWN[inputs.country] }
      ls.logOutputs(outputs)
      ls.logFeedback({ key: 'length', score: outputs.capital.length })
      await ls.wrapEvaluator(correct)({ outputs, referenceOutputs })
      expect(outputs).toEqual(referenceOutputs)
      expect(testMetadata.exampleId).toHaveLength(36)
      await expect('kitten').toBeAbsoluteCloseTo('sitting')
    },
  )

  ls.test.each([
    { inputs: { country: 'Peru' }, referenceOutputs: { capital: 'Lima' } },
    { inputs: { country: 'Chad' }, referenceOutputs: { capital: "N'Djamena" } },
  ])('knows more', async ({ inputs }) => {
    const outputs = { capital: KNOWN[inputs.country] }
    await ls.expect(outputs).evaluatedBy(correct).toBeGreaterThan(0.5)
    return outputs
  })

  ls.test(
    'knows what sank',
    { inputs: { country: 'Atlantis' }, referenceOutputs: { capital: 'Poseidonis' } },
    ({ inputs }) => {
      ls.logOutputs({ capital: 'none' })
      expect(KNOWN[inputs.country]).toBe('Poseidonis')
    },
  )

  ls.test(
    'repeats its answer',
    { inputs: { country: 'Mali' }, referenceOutputs: { capital: 'Bamako' }, config: { repetitions: 2 } },
    () => 'Bamako',
  )

  ls.test.skip('is left out', { inputs: { country: 'Nowhere' } }, () => {})
})
