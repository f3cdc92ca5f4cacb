import { Client, NotFoundError } from '@touchstone/sdk'
import { evaluate, exactMatch } from '@touchstone/sdk/evaluation'
import { traceable } from '@touchstone/sdk/traceable'

// TOUCHSTONE_ENDPOINT=http://localhost:3000 npm start
const client = new Client()
const DATASET = 'support mails'

const MAILS = [
  ['I was charged twice this month.', 'billing'],
  ['The app crashes when I open a photo.', 'bug'],
  ['Please send me the bill again.', 'billing'],
  ['How do I change my password?', 'question'],
] as const

/** Created once; later runs reuse it. */
async function dataset() {
  try {
    return await client.readDataset({ datasetName: DATASET })
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
  }
  const made = await client.createDataset(DATASET, { description: 'What customers write, and where it belongs.' })
  await client.createExamples(
    MAILS.map(([mail, topic]) => ({ dataset_id: made.id, inputs: { mail }, outputs: { topic } })),
  )
  return made
}

const findWord = traceable(
  async (mail: string, words: Record<string, string>) =>
    Object.entries(words).find(([word]) => mail.toLowerCase().includes(word))?.[1],
  { name: 'find word', run_type: 'tool' },
)

const byWords = (words: Record<string, string>) =>
  async function sortMail({ mail }: { mail: string }) {
    return { topic: (await findWord(mail, words)) ?? 'question' }
  }

const { name } = await dataset()
const common = { data: name, client, evaluators: [exactMatch({ key: 'right_topic' })], maxConcurrency: 2 }
const first = await evaluate(byWords({ charged: 'billing', crash: 'bug' }), { ...common, experimentPrefix: 'keywords' })
const second = await evaluate(byWords({ charged: 'billing', bill: 'billing', crash: 'bug' }), {
  ...common,
  experimentPrefix: 'more keywords',
  baseline: first.experimentName,
  failIf: ['right_topic.mean<1', 'right_topic.verdict=worse', 'error_rate>0'],
})

console.log(`${second.experimentName} sorts ${second.length} mails: ${second.experimentUrl}`)
