// The same small program in every runtime: nested runs, a stream, an error, across awaits; then deliver and say so.
import { Client } from '@touchstone/sdk'
import { getCurrentRunTree, ROOT, traceable } from '@touchstone/sdk/traceable'

/** @param {string} apiUrl */
export async function trace(apiUrl) {
  const client = new Client({ apiUrl, apiKey: 'k', callerOptions: { maxRetries: 0 } })
  const retrieve = traceable(
    async (_run, question) => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      getCurrentRunTree(true)?.addEvent('found')
      return [question.toUpperCase()]
    },
    { name: 'retrieve', run_type: 'retriever' },
  )
  const fail = traceable(async () => Promise.reject(new TypeError('bad')), { name: 'fail', run_type: 'tool' })
  const answer = traceable(
    async function* (run, question) {
      await Promise.resolve()
      // Where there is no async context the run tree is handed on; elsewhere that changes nothing.
      for (const found of await retrieve(run, question)) yield found
      await fail(run).catch(() => {})
    },
    { name: 'answer', client, tracingEnabled: true, aggregator: (chunks) => chunks.join('') },
  )
  const chunks = []
  for await (const chunk of answer(ROOT, 'why')) chunks.push(chunk)
  await client.flush()
  return chunks
}
