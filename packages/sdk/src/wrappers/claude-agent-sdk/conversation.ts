import { isRecord } from '../../guards.ts'
import type { KVMap } from '../../schemas.ts'
import type { RunTree } from '../../tracing/run-tree.ts'
import { createUsageMetadata } from '../anthropic.ts'

/** A call of a model that may get more blocks: the SDK reports each block as a message of its own. */
interface ModelCall {
  readonly run: RunTree
  readonly id: unknown
  readonly model: string
  readonly blocks: KVMap[]
  usage: KVMap
}

/** The main agent, or a subagent, which a tool starts. */
interface AgentState {
  readonly run: RunTree
  /** What the next call of its model is asked. */
  readonly messages: KVMap[]
  call: ModelCall | undefined
  /** When the next call of its model starts. */
  readyAt: number
}

/** Makes runs of the messages of one query: calls of models and tools below the run of the query. */
export class Conversation {
  readonly #root: RunTree
  readonly #main: AgentState
  readonly #subagents = new Map<string, AgentState>()
  readonly #tools = new Map<string, RunTree>()
  /** The last call of each model, and what all calls of it used so far. */
  readonly #models = new Map<string, { last: ModelCall; output: number }>()

  #about: KVMap = {}

  constructor(root: RunTree, messages: KVMap[]) {
    this.#root = root
    this.#main = { run: root, messages: [...messages], call: undefined, readyAt: Date.now() }
  }

  /** A message that the program sends while the query runs. */
  addPrompt(message: unknown): void {
    if (!isRecord(message)) return
    this.#main.messages.push(message)
    const { messages }: KVMap = this.#root.inputs
    this.#root.inputs = { ...this.#root.inputs, messages: [...(Array.isArray(messages) ? messages : []), message] }
    void this.#root.patchRun({ excludeInputs: false })
  }

  add(message: unknown): void {
    if (!isRecord(message)) return
    const agent = this.#findAgent(message.parent_tool_use_id)
    if (message.type === 'assistant' && isRecord(message.message)) this.#addAnswer(agent, message.message)
    else if (message.type === 'user' && isRecord(message.message)) this.#addUserMessage(agent, message.message)
    else if (message.type === 'stream_event' && isRecord(message.event)) this.#addStreamEvent(agent, message.event)
    else if (message.type === 'system' && message.subtype === 'init') this.#start(message)
    else if (message.type === 'result') this.#finish(message)
  }

  /**
   * The run of a tool. Its function may be called before the message that names it has been read.
   *
   * @param id  of the call; without it the newest open call of the tool
   */
  findTool(id: string | undefined, name: string, input: unknown): RunTree | undefined {
    if (id !== undefined) return this.#tools.get(id) ?? this.#startTool(this.#main, { id, name, input })
    return [...this.#tools.values()].findLast((run) => run.name === name || run.name.endsWith(`__${name}`))
  }

  /** Ends what is still open when the query ends. */
  close(): void {
    this.#root.metadata = this.#about
    for (const agent of [this.#main, ...this.#subagents.values()]) this.#endCall(agent)
    for (const run of this.#tools.values()) {
      run.error ??= 'Cancelled'
      endRun(run)
    }
    this.#tools.clear()
  }

  #start({ session_id, model, tools, permissionMode, claude_code_version }: KVMap): void {
    const { thread_id = session_id } = this.#root.metadata
    this.#root.metadata = { thread_id, session_id }
    // The runs below would inherit it, so it is added at the end.
    this.#about = { model, tools, permissionMode, claude_code_version }
  }

  #findAgent(toolId: unknown): AgentState {
    if (typeof toolId !== 'string') return this.#main
    const known = this.#subagents.get(toolId)
    if (known) return known
    const run = this.#tools.get(toolId) ?? this.#root
    const { prompt }: KVMap = run.inputs
    const messages = typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : []
    const agent: AgentState = { run, messages, call: undefined, readyAt: Date.now() }
    this.#subagents.set(toolId, agent)
    return agent
  }

  #addAnswer(agent: AgentState, message: KVMap): void {
    const call = this.#openCall(agent, message)
    const blocks = (Array.isArray(message.content) ? message.content : []).filter(isRecord)
    call.blocks.push(...blocks)
    if (isRecord(message.usage)) call.usage = mergeUsage(call.usage, message.usage)
    for (const { type, id, name, input } of blocks) {
      if (type === 'tool_use' && typeof id === 'string') this.#startTool(agent, { id, name, input })
    }
  }

  #addStreamEvent(agent: AgentState, { type, message, usage }: KVMap): void {
    if (type === 'message_start' && isRecord(message)) this.#openCall(agent, message)
    const { call } = agent
    if (call === undefined) return
    if (type === 'content_block_delta' && call.run.events.length === 0) call.run.addEvent({ name: 'new_token' })
    if (type === 'message_delta' && isRecord(usage)) {
      call.usage = mergeUsage(call.usage, usage)
      this.#record(call)
    }
    if (type === 'message_stop') this.#endCall(agent)
  }

  #openCall(agent: AgentState, { id, model }: KVMap): ModelCall {
    if (agent.call !== undefined && agent.call.id === id) return agent.call
    this.#endCall(agent)
    const run = agent.run.createChild({
      name: 'claude.assistant.turn',
      run_type: 'llm',
      start_time: agent.readyAt,
      inputs: { messages: [...agent.messages] },
      metadata: { ls_provider: 'anthropic', ls_model_type: 'chat', ls_model_name: model },
    })
    void run.postRun()
    agent.call = { run, id, model: String(model), blocks: [], usage: {} }
    return agent.call
  }

  #endCall(agent: AgentState): void {
    const { call } = agent
    if (call === undefined) return
    agent.call = undefined
    agent.messages.push({ role: 'assistant', content: call.blocks })
    this.#record(call)
    const known = this.#models.get(call.model)
    this.#models.set(call.model, { last: call, output: (known?.output ?? 0) + readCount(call.usage.output_tokens) })
    endRun(call.run)
  }

  #record({ run, id, model, blocks, usage }: ModelCall): void {
    const usage_metadata = createUsageMetadata(usage)
    run.outputs = { id, role: 'assistant', model, content: blocks, usage_metadata }
    run.metadata = { usage_metadata }
  }

  #startTool(agent: AgentState, { id, name, input }: { id: string; name: unknown; input: unknown }): RunTree {
    const known = this.#tools.get(id)
    if (known) {
      known.name = String(name)
      return known
    }
    const inputs = isRecord(input) ? input : { input }
    const run = agent.run.createChild({ name: String(name), run_type: 'tool', inputs, metadata: { tool_call_id: id } })
    void run.postRun()
    this.#tools.set(id, run)
    return run
  }

  #addUserMessage(agent: AgentState, message: KVMap): void {
    this.#endCall(agent)
    agent.messages.push({ role: 'user', content: message.content as unknown })
    agent.readyAt = Date.now()
    const blocks = (Array.isArray(message.content) ? message.content : []).filter(isRecord)
    for (const { type, tool_use_id, content, is_error } of blocks) {
      const run = type === 'tool_result' ? this.#tools.get(String(tool_use_id)) : undefined
      if (run === undefined) continue
      this.#tools.delete(String(tool_use_id))
      const subagent = this.#subagents.get(String(tool_use_id))
      if (subagent) this.#endCall(subagent)
      if (is_error === true) run.error = typeof content === 'string' ? content : JSON.stringify(content)
      run.outputs = { content }
      endRun(run)
    }
  }

  #finish(result: KVMap): void {
    this.#endCall(this.#main)
    const { subtype, result: text, structured_output, is_error, errors } = result
    this.#root.outputs = {
      ...(text !== undefined && { role: 'assistant', content: text as unknown }),
      ...(structured_output !== undefined && { structured_output: structured_output as unknown }),
    }
    const known = ['num_turns', 'duration_ms', 'duration_api_ms', 'total_cost_usd', 'permission_denials', 'stop_reason']
    this.#root.metadata = Object.fromEntries(known.map((key) => [key, result[key]]))
    if (is_error === true || (typeof subtype === 'string' && subtype.startsWith('error'))) {
      this.#root.error = String(text ?? (Array.isArray(errors) ? errors.join('\n') : subtype))
    }
    this.#correctUsage(isRecord(result.modelUsage) ? result.modelUsage : {})
  }

  /**
   * Without partial messages, the SDK reports the tokens of an answer before it is complete. Its sums at the end are right, so
   * the last call of each model gets the rest.
   */
  #correctUsage(sums: KVMap): void {
    for (const [model, { last, output }] of this.#models) {
      const sum = sums[model]
      const missing = isRecord(sum) ? readCount(sum.outputTokens) - output : 0
      if (missing <= 0) continue
      last.usage = { ...last.usage, output_tokens: readCount(last.usage.output_tokens) + missing }
      this.#models.set(model, { last, output: output + missing })
      this.#record(last)
      void last.run.patchRun()
    }
  }
}

/** Counts of an event that are missing or null keep their values. */
function mergeUsage(usage: KVMap, update: KVMap): KVMap {
  return { ...usage, ...Object.fromEntries(Object.entries(update).filter(([, value]) => value != null)) }
}

const readCount = (value: unknown) => (typeof value === 'number' ? value : 0)

function endRun(run: RunTree): void {
  void run.end()
  void run.patchRun({ excludeInputs: false })
}
