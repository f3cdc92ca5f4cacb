// Tests that run at the same time, beside a suite of which nothing runs.
const ls = await import(process.env.SUITE_ENTRY)

const itself = ({ n }) => ({ key: 'itself', score: n })

ls.describe(process.env.SUITE_NAME, () => {
  for (let n = 0; n < 5; n++) {
    ls.test.concurrent(`number ${n}`, { inputs: { n } }, async ({ inputs }) => {
      // The last to start is the first to go on.
      await new Promise((resolve) => setTimeout(resolve, (5 - n) * 20))
      ls.logFeedback({ key: 'n', score: inputs.n })
      await ls.wrapEvaluator(itself)({ n: inputs.n })
      return { n: inputs.n }
    })
  }
})

ls.describe.skip(`${process.env.SUITE_NAME} never`, () => {
  ls.test('is left out', { inputs: {} }, () => {})
})
