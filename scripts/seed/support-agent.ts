import type { Step } from './build-trace.ts'
import type { Chance } from './random.ts'
import { CONVERSATIONS, type Turn } from './support-conversations.ts'

/** The turns of a conversation with an agent that calls tools; each is a trace of the same thread. */
export function supportConversation(chance: Chance): Step[] {
  const turns = chance.oneOf(CONVERSATIONS)
  const breaks = chance.happens(0.25)
  return turns.map((turn, at) => agentTurn(turn, turns.slice(0, at), breaks && at === turns.length - 1, chance))
}

function agentTurn(turn: Turn, before: readonly Turn[], breaks: boolean, chance: Chance): Step {
  const history = before.flatMap((earlier) => [
    { role: 'user', content: earlier.message },
    { role: 'assistant', content: earlier.replies },
  ])
  const messages = [...history, { role: 'user', content: turn.message }]
  const error = breaks ? TOOL_ERROR : undefined
  return {
    name: 'support_agent',
    run_type: 'chain',
    inputs: { messages },
    ...(error ? { error } : { outputs: { output: turn.replies, steps: turn.calls.length + 1 } }),
    ms: chance.between(10, 40),
    metadata: { customer_tier: chance.oneOf(['free', 'plus', 'business']) },
    tags: ['agent', 'support'],
    children: [
      claude('plan', messages, toolUse(turn), chance),
      {
        name: 'tools',
        run_type: 'chain',
        inputs: { calls: turn.calls.length },
        ms: 4,
        parallel: true,
        children: turn.calls.map((call) => toolCall(call, error, chance)),
        ...(error ? { error } : { outputs: { done: turn.calls.length } }),
      },
      ...(error ? [] : [claude('reply', messages, [{ type: 'text', text: turn.replies }], chance)]),
    ],
  }
}

function toolUse(turn: Turn) {
  const uses = turn.calls.map((call, at) => ({
    type: 'tool_use',
    id: `toolu_${at + 1}`,
    name: call.tool,
    input: call.args,
  }))
  return [{ type: 'text', text: 'Let me look that up.' }, ...uses]
}

function claude(name: string, messages: readonly object[], content: readonly object[], chance: Chance): Step {
  const input = chance.whole(900, 2400)
  return {
    name: `claude_${name}`,
    run_type: 'llm',
    inputs: {
      model: 'claude-sonnet-4-5',
      max_tokens: 1024,
      system: 'You are the support team of a small shop.',
      messages,
    },
    outputs: {
      role: 'assistant',
      content,
      stop_reason: name === 'plan' ? 'tool_use' : 'end_turn',
      usage: {
        input_tokens: input,
        output_tokens: chance.whole(40, 260),
        cache_read_input_tokens: Math.floor(input / 3),
      },
    },
    ms: chance.between(900, 3200),
    firstTokenMs: chance.between(250, 700),
    metadata: { ls_provider: 'anthropic', ls_model_name: 'claude-sonnet-4-5', ls_model_type: 'chat' },
    invocation: { model: 'claude-sonnet-4-5', max_tokens: 1024 },
  }
}

function toolCall(call: Turn['calls'][number], error: string | undefined, chance: Chance): Step {
  return {
    name: call.tool,
    run_type: 'tool',
    inputs: call.args,
    ...(error ? { error } : { outputs: { output: call.result } }),
    ms: chance.between(40, 900),
  }
}

const TOOL_ERROR = `PaymentGatewayError: refunds.create timed out after 30000 ms

    at Gateway.request (/srv/support/src/payments/gateway.ts:114:13)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
    at async startRefund (/srv/support/src/tools/start-refund.ts:27:20)
    at async Promise.all (index 0)
    at async runTools (/srv/support/src/agent/run-tools.ts:41:19)`
