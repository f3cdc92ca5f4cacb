import { Client } from '@touchstone/sdk'
import { traceable } from '@touchstone/sdk/traceable'

// TOUCHSTONE_TRACING=true TOUCHSTONE_ENDPOINT=http://localhost:3000 TOUCHSTONE_PROJECT=examples npm start
const client = new Client()

const search = traceable(
  async (question: string) => [`An answer from the handbook about “${question}”.`, 'An answer from the wiki.'],
  { name: 'search', run_type: 'retriever' },
)

/** Replaces a model: streams an answer word by word. */
const model = traceable(
  async function* (messages: { role: string; content: string }[]) {
    for (const word of `Considering ${messages.length} messages: yes.`.split(' ')) yield `${word} `
  },
  {
    name: 'model',
    run_type: 'llm',
    metadata: { ls_provider: 'openai', ls_model_name: 'gpt-4.1-mini' },
    aggregator: (words: string[]) => ({ role: 'assistant', content: words.join('').trim() }),
  },
)

const answer = traceable(
  async (question: string) => {
    const found = await search(question)
    let text = ''
    for await (const word of await model([
      { role: 'system', content: found.join('\n') },
      { role: 'user', content: question },
    ])) {
      text += word
    }
    return { answer: text.trim() }
  },
  { name: 'answer', client, metadata: { thread_id: 'example-thread' }, tags: ['example'] },
)

console.log(await answer('May I bring my dog to work?'))
await client.flush()
