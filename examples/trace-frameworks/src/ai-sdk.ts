import { openai } from '@ai-sdk/openai'
import { wrapAISDK } from '@touchstone/sdk/wrappers/vercel'
import * as ai from 'ai'

const { streamText } = wrapAISDK(ai)

const weather = ai.tool({
  description: 'The weather of a city',
  inputSchema: ai.jsonSchema<{ city: string }>({
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  }),
  execute: async ({ city }) => ({ city, sky: 'grey' }),
})

const { textStream } = streamText({
  model: openai.chat(process.env.MODEL ?? 'gpt-4.1-mini'),
  prompt: 'Use a tool please: what is the weather in Bern?',
  tools: { weather },
  stopWhen: ai.isStepCount(3),
})
for await (const text of textStream) process.stdout.write(text)
