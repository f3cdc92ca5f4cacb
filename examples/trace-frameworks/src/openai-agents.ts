import { Agent, run, setTraceProcessors, tool } from '@openai/agents'
import { OpenAIAgentsTracingProcessor } from '@touchstone/sdk/wrappers/openai_agents'

setTraceProcessors([new OpenAIAgentsTracingProcessor()])

const weather = tool({
  name: 'weather',
  description: 'The weather of a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  strict: true,
  execute: async (input) => ({ ...(input as { city: string }), sky: 'grey' }),
})

const agent = new Agent({
  name: 'Assistant',
  instructions: 'Be short.',
  model: process.env.MODEL ?? 'gpt-4.1-mini',
  tools: [weather],
})
const { finalOutput } = await run(agent, 'Use a tool please: what is the weather in Bern?')
console.log(finalOutput)
