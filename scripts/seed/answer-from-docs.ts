import type { Step } from './build-trace.ts'
import type { Chance } from './random.ts'

const QUESTIONS = [
  {
    ask: 'How do I rotate an API key without downtime?',
    documents: ['Keys can overlap: create the second key, deploy it, then revoke the first.', 'Revoking is immediate.'],
    answer:
      'Create a second key, roll it out to every service, watch **last used** of the old key until it stops moving, and then revoke it. Both keys are valid in between, so no request fails.',
  },
  {
    ask: 'What happens to my traces when the disk is full?',
    documents: ['A write that cannot be stored is answered with 503 and Retry-After.', 'Nothing acknowledged is lost.'],
    answer:
      'New writes are refused with `503` and a `Retry-After` header until space is free again; clients keep them queued. Whatever was acknowledged before stays readable.',
  },
  {
    ask: 'Can I send traces from Python and TypeScript into one project?',
    documents: [
      'A project is named by the client: LANGSMITH_PROJECT.',
      'Unknown project names are created on first use.',
    ],
    answer: 'Yes. Give both the same `LANGSMITH_PROJECT`; the project is created by whichever run arrives first.',
  },
  {
    ask: 'Wie lange werden Läufe aufbewahrt? 🗄️',
    documents: [
      'Aufbewahrung: unbegrenzt, solange nichts gelöscht wird.',
      'Ein Projekt zu löschen löscht seine Läufe.',
    ],
    answer: 'Unbegrenzt. Ein Projekt zu löschen entfernt auch seine Läufe, Anhänge und Bewertungen.',
  },
] as const

/** A retrieval chain: rewrite, embed, look up, prompt, answer, parse. */
export function answerFromDocs(chance: Chance): Step {
  const { ask, documents, answer } = chance.oneOf(QUESTIONS)
  const failed = chance.happens(0.06)
  const promptTokens = chance.whole(700, 1800)
  const children: Step[] = [retrieve(ask, documents, chance), fillPrompt(ask, documents)]
  children.push(failed ? refusedModel(ask) : model(ask, answer, promptTokens, chance))
  if (!failed)
    children.push({
      name: 'StrOutputParser',
      run_type: 'parser',
      inputs: { message: answer },
      outputs: { output: answer },
      ms: 1,
    })
  return {
    name: 'answer_from_docs',
    run_type: 'chain',
    inputs: { question: ask, top_k: documents.length },
    ...(failed
      ? { error: RATE_LIMIT }
      : { outputs: { answer, sources: documents.map((_, at) => `docs/guide-${at + 1}.md`) } }),
    ms: chance.between(6, 20),
    metadata: { environment: chance.oneOf(['production', 'production', 'staging']), release: '2025.11.2' },
    tags: ['rag', 'docs'],
    children,
  }
}

function retrieve(ask: string, documents: readonly string[], chance: Chance): Step {
  return {
    name: 'VectorStoreRetriever',
    run_type: 'retriever',
    inputs: { query: ask },
    outputs: {
      documents: documents.map((text, at) => ({
        page_content: text,
        type: 'Document',
        metadata: { source: `docs/guide-${at + 1}.md`, score: Number(chance.between(0.71, 0.93).toFixed(3)) },
      })),
    },
    ms: chance.between(25, 90),
    children: [
      {
        name: 'embed_query',
        run_type: 'embedding',
        inputs: { input: ask, model: 'text-embedding-3-small' },
        outputs: { dimensions: 1536 },
        ms: chance.between(60, 180),
        metadata: { ls_provider: 'openai', ls_model_name: 'text-embedding-3-small' },
      },
    ],
  }
}

function fillPrompt(ask: string, documents: readonly string[]): Step {
  return {
    name: 'ChatPromptTemplate',
    run_type: 'prompt',
    inputs: { question: ask, context: documents },
    outputs: { messages: messages(ask, documents) },
    ms: 2,
  }
}

function model(ask: string, answer: string, promptTokens: number, chance: Chance): Step {
  const completionTokens = Math.round(answer.length / 4)
  const streams = chance.happens(0.6)
  return {
    name: 'ChatOpenAI',
    run_type: 'llm',
    inputs: { messages: messages(ask, []), model: 'gpt-4.1-mini', temperature: 0.2 },
    outputs: {
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: answer } }],
      usage: {
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        total_tokens: promptTokens + completionTokens,
        prompt_tokens_details: { cached_tokens: Math.floor(promptTokens / 2) },
      },
    },
    ms: chance.between(700, 2600),
    ...(streams ? { firstTokenMs: chance.between(180, 520) } : {}),
    metadata: { ls_provider: 'openai', ls_model_name: 'gpt-4.1-mini', ls_model_type: 'chat', ls_temperature: 0.2 },
    invocation: { model: 'gpt-4.1-mini', temperature: 0.2, stream: streams },
  }
}

function refusedModel(ask: string): Step {
  return {
    name: 'ChatOpenAI',
    run_type: 'llm',
    inputs: { messages: messages(ask, []), model: 'gpt-4.1-mini' },
    error: RATE_LIMIT,
    ms: 310,
    metadata: { ls_provider: 'openai', ls_model_name: 'gpt-4.1-mini', ls_model_type: 'chat' },
  }
}

const messages = (ask: string, documents: readonly string[]) => [
  {
    role: 'system',
    content: ['Answer from the documents only; say so when they do not tell.', ...documents].join('\n\n'),
  },
  { role: 'user', content: ask },
]

const RATE_LIMIT = `RateLimitError: 429 Rate limit reached for gpt-4.1-mini on tokens per min (TPM): Limit 200000, Used 199412. Please try again in 353ms.

Traceback (most recent call last):
  File "/app/chains/answer.py", line 88, in answer_from_docs
    message = await model.ainvoke(prompt)
  File "/app/.venv/lib/python3.12/site-packages/openai/_base_client.py", line 1594, in request
    raise self._make_status_error_from_response(err.response) from None
openai.RateLimitError: Error code: 429`
