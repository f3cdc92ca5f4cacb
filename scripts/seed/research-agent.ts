import type { Step } from './build-trace.ts'
import type { Chance } from './random.ts'

const QUESTION = 'How do assay offices verify gold, and what replaced the touchstone?'

const TOPICS = [
  {
    topic: 'touchstone method',
    finding: 'A streak on slate is compared with needles of known fineness; accurate to about 1 %.',
  },
  {
    topic: 'cupellation',
    finding: 'Fire assay: lead takes the base metals away; accurate to 0.02 %, destroys the sample.',
  },
  { topic: 'X-ray fluorescence', finding: 'Today’s first test: seconds, no damage, but only the surface is seen.' },
] as const

/** One long answer: a plan, three researchers in parallel that search and read, a draft, a critique, a final text. */
export function researchAgent(chance: Chance): Step {
  return {
    name: 'research_agent',
    run_type: 'chain',
    inputs: { question: QUESTION, depth: 'thorough' },
    outputs: { answer: ANSWER, sources: 6 },
    ms: 40,
    tags: ['agent', 'research'],
    metadata: { environment: 'production', ls_agent_type: 'root' },
    children: [
      model('plan', { role: 'user', content: QUESTION }, TOPICS.map(({ topic }) => `- ${topic}`).join('\n'), chance),
      {
        name: 'researchers',
        run_type: 'chain',
        inputs: { topics: TOPICS.map(({ topic }) => topic) },
        outputs: { findings: TOPICS.length },
        ms: 5,
        parallel: true,
        children: TOPICS.map((one, at) => researcher(one, at, chance)),
      },
      model('draft', { role: 'user', content: 'Write it up.' }, ANSWER.slice(0, 240), chance, 'stream'),
      model('critique', { role: 'user', content: 'What is missing?' }, 'Say what each method cannot see.', chance),
      model('answer', { role: 'user', content: 'Revise.' }, ANSWER, chance, 'stream'),
    ],
  }
}

function researcher({ topic, finding }: (typeof TOPICS)[number], at: number, chance: Chance): Step {
  const page = (number: number): Step => ({
    name: 'read_page',
    run_type: 'tool',
    inputs: { url: `https://library.example/${encodeURIComponent(topic)}/${number}` },
    ...(at === 1 && number === 2 ? { error: PAGE_ERROR } : { outputs: { characters: chance.whole(4000, 30_000) } }),
    ms: chance.between(220, 1100),
  })
  return {
    name: 'researcher',
    run_type: 'chain',
    inputs: { topic },
    outputs: { finding },
    ms: 12,
    metadata: { ls_agent_type: 'subagent' },
    children: [
      {
        name: 'search',
        run_type: 'retriever',
        inputs: { query: topic },
        outputs: { documents: [{ page_content: finding, type: 'Document', metadata: { source: `${topic}.html` } }] },
        ms: chance.between(120, 420),
      },
      {
        name: 'read_pages',
        run_type: 'chain',
        inputs: { pages: 2 },
        outputs: { read: 2 },
        ms: 2,
        parallel: true,
        children: [page(1), page(2)],
      },
      model('summarise', { role: 'user', content: `What matters about ${topic}?` }, finding, chance),
    ],
  }
}

function model(name: string, message: object, content: string, chance: Chance, streams?: 'stream'): Step {
  const prompt = chance.whole(600, 4200)
  const completion = Math.round(content.length / 3.5)
  return {
    name,
    run_type: 'llm',
    inputs: { messages: [{ role: 'system', content: 'You research carefully and name your sources.' }, message] },
    outputs: {
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: prompt,
        completion_tokens: completion,
        total_tokens: prompt + completion,
        prompt_tokens_details: { cached_tokens: Math.floor(prompt / 3) },
      },
    },
    ms: chance.between(800, 2200) + (streams ? 1500 : 0),
    ...(streams ? { firstTokenMs: chance.between(250, 600) } : {}),
    metadata: { ls_provider: 'openai', ls_model_name: 'gpt-4.1', ls_model_type: 'chat', ls_temperature: 0.3 },
    invocation: { model: 'gpt-4.1', temperature: 0.3, stream: streams !== undefined },
  }
}

const ANSWER = `**Assay offices use three tests, from quick to exact.**

| Test | Sees | Accuracy | Damage |
|---|---|---|---|
| X-ray fluorescence | the surface | ± 0.5 % | none |
| Touchstone | a streak | ± 1 % | a trace |
| Cupellation | everything | ± 0.02 % | the sample |

The touchstone was not replaced so much as *moved*: it is still the fastest way to tell which needle a piece belongs to, while cupellation
decides and X-rays do the daily work.`

const PAGE_ERROR = `FetchError: 403 Forbidden: https://library.example/cupellation/2

    at readPage (/srv/research/src/tools/read-page.ts:31:11)
    at async Promise.all (index 1)
    at async readPages (/srv/research/src/agent/read-pages.ts:12:18)`
