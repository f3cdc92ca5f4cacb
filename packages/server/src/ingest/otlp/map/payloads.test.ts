import { describe, expect, it } from 'vitest'
import type { OtlpSpan, OtlpValue } from '../span.ts'
import { mapSpan } from './index.ts'
import { INPUT_SOURCES, OUTPUT_SOURCES, type PayloadSource } from './payloads.ts'
import { anEvent, aScope, aSpan, json } from './testing/a-span.ts'

interface PayloadCase {
  readonly name: string
  readonly attributes?: Record<string, OtlpValue>
  readonly span?: Partial<OtlpSpan>
  readonly inputs?: unknown
  readonly outputs?: unknown
}

const asked = { messages: [{ role: 'user', content: 'Hi' }] }
const answered = { messages: [{ role: 'assistant', content: 'Hello' }] }
const part = (content: string) => ({ type: 'text', content })
const serialized = (name: string, kwargs: object) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', name],
  kwargs,
})
const chat = { 'gen_ai.operation.name': 'chat' }
const tool = { 'gen_ai.operation.name': 'execute_tool' }

/** At least one case for each row of the tables; a test below fails for a row without one. */
const CASES: readonly PayloadCase[] = [
  {
    name: 'reads messages of GenAI 1.37 from the details event',
    span: {
      events: [
        anEvent('gen_ai.client.inference.operation.details', {
          'gen_ai.system_instructions': [{ type: 'text', content: 'Be short.' }],
          'gen_ai.input.messages': [{ role: 'user', parts: [part('Hi')] }],
          'gen_ai.output.messages': [{ role: 'assistant', parts: [part('Hello')], finish_reason: 'stop' }],
        }),
      ],
    },
    attributes: { ...chat, 'gen_ai.input.messages': '[]' },
    inputs: { messages: [{ role: 'system', content: 'Be short.' }, ...asked.messages] },
    outputs: { messages: [{ role: 'assistant', content: 'Hello', finish_reason: 'stop' }] },
  },
  {
    name: 'reads messages of GenAI 1.37 from JSON attributes, with instructions first',
    attributes: {
      ...chat,
      'gen_ai.system_instructions': json([part('Be short.')]),
      'gen_ai.input.messages': json([
        { role: 'user', parts: [part('Weather in Paris?')] },
        { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'weather', arguments: { city: 'Paris' } }] },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'rainy, 57°F' }] },
      ]),
      'gen_ai.output.messages': json([{ role: 'assistant', parts: [part('Rain.')], finish_reason: 'stop' }]),
    },
    inputs: {
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Weather in Paris?' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } }],
        },
        { role: 'tool', content: 'rainy, 57°F', tool_call_id: 'c1' },
      ],
    },
    outputs: { messages: [{ role: 'assistant', content: 'Rain.', finish_reason: 'stop' }] },
  },
  {
    name: 'reads the flattened messages of OpenLLMetry before 0.5 with their tool calls',
    attributes: {
      'llm.request.type': 'chat',
      'gen_ai.prompt.1.role': 'user',
      'gen_ai.prompt.1.content': '[{"type":"text","text":"Hi"}]',
      'gen_ai.prompt.0.role': 'system',
      'gen_ai.prompt.0.content': 'Be short.',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.finish_reason': 'tool_calls',
      'gen_ai.completion.0.tool_calls.0.id': 'c1',
      'gen_ai.completion.0.tool_calls.0.name': 'weather',
      'gen_ai.completion.0.tool_calls.0.arguments': '{"city":"Paris"}',
    },
    inputs: {
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Hi' },
      ],
    },
    outputs: {
      messages: [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } }],
          finish_reason: 'tool_calls',
        },
      ],
    },
  },
  {
    name: 'reads the variables of a prompt template',
    attributes: {
      'openinference.span.kind': 'PROMPT',
      'llm.prompt_template.template': 'Hi {name}',
      'llm.prompt_template.variables': '{"name":"Ada"}',
    },
    inputs: { name: 'Ada', template: 'Hi {name}' },
  },
  {
    name: 'reads a retrieval of the GenAI conventions',
    attributes: {
      'gen_ai.operation.name': 'retrieval',
      'gen_ai.retrieval.query.text': 'What is x?',
      'gen_ai.retrieval.documents': json([{ id: 'd1', score: 0.9, content: 'X is y.' }]),
    },
    inputs: { query: 'What is x?' },
    outputs: { documents: [{ page_content: 'X is y.', metadata: {}, type: 'Document', id: 'd1', score: 0.9 }] },
  },
  {
    name: 'reads a retriever of OpenInference',
    attributes: {
      'openinference.span.kind': 'RETRIEVER',
      'input.value': 'What is x?',
      'input.mime_type': 'text/plain',
      'retrieval.documents.0.document.content': 'X is y.',
      'retrieval.documents.0.document.metadata': '{"page":3}',
      'retrieval.documents.0.document.score': 0.9,
    },
    inputs: { query: 'What is x?' },
    outputs: { documents: [{ page_content: 'X is y.', metadata: { page: 3 }, type: 'Document', score: 0.9 }] },
  },
  {
    name: 'reads messages of OpenInference with parts and tool calls',
    attributes: {
      'openinference.span.kind': 'LLM',
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.contents.0.message_content.type': 'text',
      'llm.input_messages.0.message.contents.0.message_content.text': 'What is this?',
      'llm.input_messages.0.message.contents.1.message_content.type': 'image',
      'llm.input_messages.0.message.contents.1.message_content.image.image.url': 'https://example.com/a.png',
      'llm.input_messages.1.message.role': 'tool',
      'llm.input_messages.1.message.tool_call_id': 'c0',
      'llm.input_messages.1.message.content': 'done',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.contents.0.message_content.type': 'reasoning',
      'llm.output_messages.0.message.contents.0.message_content.text': 'A cat?',
      'llm.output_messages.0.message.contents.0.message_content.signature': 'sig',
      'llm.output_messages.0.message.contents.1.message_content.type': 'text',
      'llm.output_messages.0.message.contents.1.message_content.text': 'A cat.',
      'llm.output_messages.0.message.tool_calls.0.tool_call.id': 'c1',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'feed',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': '{}',
      'input.value': '{"messages":[]}',
      'input.mime_type': 'application/json',
    },
    inputs: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          ],
        },
        { role: 'tool', content: 'done', tool_call_id: 'c0' },
      ],
    },
    outputs: {
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'A cat?', signature: 'sig' },
            { type: 'text', text: 'A cat.' },
          ],
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'feed', arguments: '{}' } }],
        },
      ],
    },
  },
  {
    name: 'reads a completion of OpenInference',
    attributes: { 'openinference.span.kind': 'LLM', 'llm.choices.0.completion.text': 'Hello' },
    outputs: answered,
  },
  {
    name: 'reads a call of a model of the AI SDK: text and tool calls are one message',
    attributes: {
      'ai.operationId': 'ai.generateText.doGenerate',
      'ai.prompt.messages': json([
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c0', toolName: 'now', input: {} }] },
        {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: 'c0', toolName: 'now', output: { type: 'json', value: { h: 9 } } },
          ],
        },
      ]),
      'ai.response.text': 'Let me look.',
      'ai.response.toolCalls': json([{ toolCallId: 'c1', toolName: 'weather', input: '{"city":"Paris"}' }]),
      'ai.response.finishReason': 'tool-calls',
    },
    inputs: {
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c0', type: 'function', function: { name: 'now', arguments: '{}' } }],
        },
        { role: 'tool', content: '{"h":9}', tool_call_id: 'c0', name: 'now' },
      ],
    },
    outputs: {
      messages: [
        {
          role: 'assistant',
          content: 'Let me look.',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } }],
          finish_reason: 'tool-calls',
        },
      ],
    },
  },
  {
    name: 'keeps the prompt of an outer span of the AI SDK as it is',
    attributes: {
      'ai.operationId': 'ai.streamText',
      'ai.prompt': json({ system: 'Be short.', prompt: 'Hi' }),
      'ai.response.text': 'Hello',
    },
    inputs: { system: 'Be short.', prompt: 'Hi' },
    outputs: answered,
  },
  {
    name: 'reads prompt and completion of the events of GenAI 1.27',
    attributes: chat,
    span: {
      events: [
        anEvent('gen_ai.content.prompt', { 'gen_ai.prompt': json([{ role: 'user', content: 'Hi' }]) }),
        anEvent('gen_ai.content.completion', { 'gen_ai.completion': json([{ role: 'assistant', content: 'Hello' }]) }),
      ],
    },
    inputs: asked,
    outputs: answered,
  },
  {
    name: 'reads the message events of GenAI 1.28 to 1.36; calls and results before the choice are history',
    attributes: chat,
    span: {
      events: [
        anEvent('gen_ai.system.message', { content: 'Be short.' }),
        anEvent('gen_ai.user.message', { content: 'Hi' }),
        anEvent('gen_ai.assistant.message', {
          tool_calls: json([{ id: 'c1', type: 'function', function: { name: 'now', arguments: '{}' } }]),
        }),
        anEvent('gen_ai.tool.message', { content: '9 am', id: 'c1' }),
        anEvent('gen_ai.choice', {
          index: 0,
          finish_reason: 'stop',
          'message.content': 'It is 9 am.',
          'message.role': 'assistant',
        }),
      ],
    },
    inputs: {
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'now', arguments: '{}' } }],
        },
        { role: 'tool', content: '9 am', tool_call_id: 'c1' },
      ],
    },
    outputs: { messages: [{ role: 'assistant', content: 'It is 9 am.', finish_reason: 'stop' }] },
  },
  {
    name: 'takes the message of the assistant as the answer when no choice follows',
    attributes: chat,
    span: {
      events: [
        anEvent('gen_ai.user.message', { 'gen_ai.event.content': json({ content: 'Hi', role: 'user' }) }),
        anEvent('gen_ai.assistant.message', { content: 'Hello' }),
      ],
    },
    inputs: asked,
    outputs: answered,
  },
  {
    name: 'reads a tool of the GenAI conventions',
    attributes: { ...tool, 'gen_ai.tool.call.arguments': '{"city":"Paris"}', 'gen_ai.tool.call.result': '"rain"' },
    inputs: { city: 'Paris' },
    outputs: { output: '"rain"' },
  },
  {
    name: 'reads a tool of the AI SDK',
    attributes: {
      'ai.operationId': 'ai.toolCall',
      'ai.toolCall.args': '{"city":"Paris"}',
      'ai.toolCall.result': '{"sky":"grey"}',
    },
    inputs: { city: 'Paris' },
    outputs: { sky: 'grey' },
  },
  {
    name: 'reads a tool of Pydantic AI before v3, whose operation has no name',
    attributes: { 'gen_ai.tool.name': 'weather', tool_arguments: '{"city":"Paris"}', tool_response: 'rain' },
    inputs: { city: 'Paris' },
    outputs: { output: 'rain' },
  },
  {
    name: 'reads a tool of Google ADK, whose empty request means nothing',
    attributes: {
      ...tool,
      'gcp.vertex.agent.tool_call_args': '{"city":"Paris"}',
      'gcp.vertex.agent.tool_response': '{"result":"rain"}',
      'gcp.vertex.agent.llm_request': '{}',
      'gcp.vertex.agent.llm_response': '{}',
    },
    inputs: { city: 'Paris' },
    outputs: { result: 'rain' },
  },
  {
    name: 'reads embeddings of OpenInference',
    attributes: {
      'openinference.span.kind': 'EMBEDDING',
      'embedding.embeddings.0.embedding.text': 'a text',
      'embedding.embeddings.0.embedding.vector': [0.1, 0.2],
    },
    inputs: { input: 'a text' },
    outputs: { embeddings: [[0.1, 0.2]] },
  },
  {
    name: 'reads embeddings of the AI SDK',
    attributes: { 'ai.operationId': 'ai.embed.doEmbed', 'ai.values': ['"a text"'], 'ai.embeddings': ['[0.1,0.2]'] },
    inputs: { input: 'a text' },
    outputs: { embeddings: [[0.1, 0.2]] },
  },
  {
    name: 'reads a generation of Langfuse',
    attributes: {
      'langfuse.observation.type': 'generation',
      'langfuse.observation.input': json([{ role: 'user', content: 'Hi' }]),
      'langfuse.observation.output': 'Hello',
    },
    inputs: asked,
    outputs: { output: 'Hello' },
  },
  {
    name: 'keeps a JSON object of OpenInference as it is, and a text that looks like JSON as a text',
    attributes: {
      'openinference.span.kind': 'CHAIN',
      'input.value': '[1]',
      'input.mime_type': 'text/plain',
      'output.value': '{"answer":42}',
      'output.mime_type': 'application/json',
    },
    inputs: { input: '[1]' },
    outputs: { answer: 42 },
  },
  {
    name: 'reads a workflow of OpenLLMetry',
    attributes: {
      'traceloop.span.kind': 'workflow',
      'traceloop.entity.input': '{"args":["Hi"],"kwargs":{}}',
      'traceloop.entity.output': 'Hello',
    },
    inputs: { args: ['Hi'], kwargs: {} },
    outputs: { text: 'Hello' },
  },
  {
    name: 'reads a span of MLflow',
    attributes: {
      'mlflow.spanType': '"CHAIN"',
      'mlflow.spanInputs': '{"question":"Hi"}',
      'mlflow.spanOutputs': '"Hello"',
    },
    inputs: { question: 'Hi' },
    outputs: { output: 'Hello' },
  },
  {
    name: 'reads a call of a model of Google ADK',
    attributes: {
      'gen_ai.request.model': 'gemini-2.5-flash',
      'gcp.vertex.agent.llm_request': json({
        model: 'gemini-2.5-flash',
        config: { system_instruction: 'Be short.' },
        contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      }),
      'gcp.vertex.agent.llm_response': json({
        content: {
          role: 'model',
          parts: [{ text: 'Hmm', thought: true }, { function_call: { id: 'c1', name: 'now', args: {} } }],
        },
        finish_reason: 'STOP',
      }),
    },
    inputs: {
      messages: [{ role: 'system', content: 'Be short.' }, ...asked.messages],
      model: 'gemini-2.5-flash',
      config: { system_instruction: 'Be short.' },
    },
    outputs: {
      messages: [
        {
          role: 'assistant',
          content: [{ type: 'thinking', thinking: 'Hmm' }],
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'now', arguments: '{}' } }],
        },
      ],
      finish_reason: 'STOP',
    },
  },
  {
    name: 'reads a flow of Genkit',
    attributes: { 'genkit:metadata:subtype': 'flow', 'genkit:input': '"Hi"', 'genkit:output': '{"answer":"Hello"}' },
    inputs: { input: 'Hi' },
    outputs: { answer: 'Hello' },
  },
  {
    name: 'reads an agent of Pydantic AI, whose tool results are inside a message of the user',
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.system_instructions': json([part('Be short.')]),
      'pydantic_ai.all_messages': json([
        { role: 'user', parts: [part('Hi')] },
        { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'now', arguments: {} }] },
        { role: 'user', parts: [{ type: 'tool_call_response', id: 'c1', name: 'now', result: '9 am' }] },
        { role: 'assistant', parts: [part('Hello')] },
      ]),
    },
    inputs: { messages: [{ role: 'system', content: 'Be short.' }, ...asked.messages] },
    outputs: {
      messages: [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'now', arguments: '{}' } }],
        },
        { role: 'tool', content: '9 am', tool_call_id: 'c1', name: 'now' },
        ...answered.messages,
      ],
    },
  },
  {
    name: 'prefers the final result of an agent of Pydantic AI as its output',
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      final_result: '{"city":"Paris"}',
      'pydantic_ai.all_messages': json([{ role: 'user', parts: [part('Hi')] }]),
    },
    inputs: asked,
    outputs: { city: 'Paris' },
  },
  {
    name: 'keeps complete inputs and outputs of the exporters of LangSmith as they are',
    attributes: {
      'langsmith.span.kind': 'llm',
      'gen_ai.prompt': json({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] }),
      'gen_ai.completion': json({ choices: [{ message: { role: 'assistant', content: 'Hello' } }] }),
    },
    inputs: { model: 'gpt-4o', ...asked },
    outputs: { choices: [{ message: { role: 'assistant', content: 'Hello' } }] },
  },
  {
    name: 'reads the prompt of Logfire',
    attributes: { prompt: 'Hi', all_messages_events: '[{"content":"Hello","role":"assistant"}]' },
    inputs: { input: 'Hi' },
    outputs: answered,
  },
  {
    name: 'reads a turn of LiveKit',
    attributes: { 'lk.user_input': 'Hi', 'lk.response.text': 'Hello' },
    inputs: { user_input: 'Hi' },
    outputs: { 'response.text': 'Hello' },
  },
  {
    name: 'reads plain input and output',
    attributes: { input: '{"a":1}', output: 'b' },
    inputs: { a: 1 },
    outputs: { text: 'b' },
  },
  {
    name: 'reads the list of events of Pydantic AI before v2',
    attributes: {
      'gen_ai.request.model': 'gpt-4o',
      events: json([
        { 'event.name': 'gen_ai.user.message', content: 'Hi', role: 'user', 'gen_ai.message.index': 0 },
        { 'event.name': 'gen_ai.choice', index: 0, message: { role: 'assistant', content: 'Hello' } },
      ]),
    },
    inputs: { messages: [{ role: 'user', content: 'Hi', 'gen_ai.message.index': 0 }] },
    outputs: { messages: [{ role: 'assistant', content: 'Hello', index: 0 }] },
  },
  {
    name: 'reads the arguments of a tool that OpenInference sent before it had input.value',
    attributes: { 'openinference.span.kind': 'TOOL', 'tool.parameters': json({ city: 'Paris' }) },
    inputs: { city: 'Paris' },
  },
  {
    name: 'reads Braintrust',
    attributes: { 'braintrust.input_json': '{"a":1}', 'braintrust.output_json': '"b"' },
    inputs: { a: 1 },
    outputs: { text: 'b' },
  },
  {
    name: 'reads Laminar',
    attributes: { 'lmnr.span.input': '{"a":1}', 'lmnr.span.output': '"b"' },
    inputs: { a: 1 },
    outputs: { text: 'b' },
  },
  {
    name: 'reads the call of a provider by LiteLLM',
    attributes: {
      'llm.openai.messages': "[{'role': 'user', 'content': 'Hi'}]",
      'llm.openai.choices': "[{'index': 0, 'message': {'role': 'assistant', 'content': 'Hello'}}]",
      'llm.openai.model': 'gpt-4o',
    },
    span: aScope('litellm'),
    inputs: { messages: [{ role: 'user', content: 'Hi' }] },
    outputs: { choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' } }] },
  },
  {
    name: 'reads a component of Haystack',
    attributes: { 'haystack.component.input': '{"a":1}', 'haystack.component.output': '{"b":2}' },
    inputs: { a: 1 },
    outputs: { b: 2 },
  },
  {
    name: 'reads the call of a model by a component of Haystack, without what is not set',
    attributes: {
      'haystack.component.type': 'OpenAIChatGenerator',
      'haystack.component.input': json({
        messages: [{ role: 'user', meta: {}, name: null, content: [{ text: 'Hi' }] }],
        generation_kwargs: { temperature: 0.5 },
        tools: null,
      }),
      'haystack.component.output': json({
        replies: [{ role: 'assistant', meta: {}, name: null, content: [{ text: 'Hello' }] }],
      }),
    },
    inputs: { ...asked, generation_kwargs: { temperature: 0.5 } },
    outputs: answered,
  },
  {
    name: 'reads calls and results of tools of Haystack',
    attributes: {
      'haystack.agent.step.llm.input': json({
        messages: [
          { role: 'assistant', meta: {}, content: [{ tool_call: { tool_name: 'f', arguments: { a: 1 }, id: 'c1' } }] },
          {
            role: 'tool',
            content: [{ tool_call_result: { result: '21', origin: { tool_name: 'f', id: 'c1' }, error: false } }],
          },
        ],
      }),
    },
    inputs: {
      messages: [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
        },
        {
          role: 'tool',
          content: '21',
          tool_call_id: 'c1',
          name: 'f',
          origin: { tool_name: 'f', id: 'c1' },
          error: false,
        },
      ],
    },
  },
  {
    name: 'reads the question of an agent of Mastra as the message of a user, after its instructions',
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.system_instructions': 'Be short.',
      'mastra.agent_run.input': 'Hi',
      'mastra.agent_run.output': '{"text":"Hello","files":[]}',
    },
    inputs: { messages: [{ role: 'system', content: 'Be short.' }, ...asked.messages] },
    outputs: { text: 'Hello', files: [] },
  },
  {
    name: 'reads a step of Mastra',
    attributes: { 'mastra.model_step.input': json(asked.messages), 'mastra.workflow_step.output': '{"b":2}' },
    inputs: asked,
    outputs: { b: 2 },
  },
  {
    name: 'reads the question of Claude Code',
    attributes: { 'span.type': 'interaction', user_prompt: 'Hi' },
    inputs: asked,
  },
  {
    name: 'has no question of Claude Code where it is not recorded',
    attributes: { 'span.type': 'interaction', user_prompt: '<REDACTED>' },
  },
  {
    name: 'reads what is new in a call of Claude Code, and its answer',
    attributes: {
      ...chat,
      new_context: '[USER]\nHi',
      user_system_prompt: 'Be short.',
      'response.model_output': 'Hello',
    },
    inputs: { messages: [{ role: 'system', content: 'Be short.' }, ...asked.messages] },
    outputs: answered,
  },
  {
    name: 'reads the result of a tool in a call of Claude Code',
    attributes: { ...chat, new_context: '[TOOL RESULT: c1]\n[{"type":"text","text":"21"}]' },
    inputs: { messages: [{ role: 'tool', content: '21', tool_call_id: 'c1' }] },
  },
  {
    name: 'reads a tool of Claude Code',
    attributes: { ...tool, tool_input: '[TOOL INPUT: weather]\n{"city":"Paris"}' },
    span: { events: [anEvent('tool.output', { output: '21 degrees' })] },
    inputs: { city: 'Paris' },
    outputs: { output: '21 degrees' },
  },
  {
    name: 'reads messages that LangChain serialized, which OpenInference flattens without ids and blocks',
    attributes: {
      'openinference.span.kind': 'LLM',
      'llm.input_messages.0.message.role': 'system',
      'llm.output_messages.0.message.role': 'assistant',
      'input.value': json({
        messages: [
          [
            serialized('SystemMessage', { content: [{ type: 'text', text: 'Be short.' }], response_metadata: {} }),
            serialized('AIMessage', { content: '', tool_calls: [{ name: 'f', args: { a: 1 }, id: 'c1' }] }),
            serialized('ToolMessage', { content: '21', tool_call_id: 'c1', name: 'f', status: 'success' }),
          ],
        ],
      }),
      'output.value': json({
        generations: [[{ text: 'Hello', message: serialized('AIMessageChunk', { content: 'Hello', tool_calls: [] }) }]],
      }),
    },
    inputs: {
      messages: [
        { role: 'system', content: 'Be short.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
        },
        { role: 'tool', content: '21', tool_call_id: 'c1', name: 'f' },
      ],
    },
    outputs: answered,
  },
  {
    name: 'reads a system prompt that stands beside the messages of a request (OpenInference for Bedrock)',
    attributes: {
      'openinference.span.kind': 'LLM',
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': 'Hi',
      'input.value': json({ system: 'Be short.', messages: asked.messages }),
    },
    inputs: { messages: [{ role: 'system', content: 'Be short.' }, ...asked.messages] },
  },
  {
    name: 'reads the blocks of a content that is the JSON of one part (OpenLLMetry for LangChain.js)',
    attributes: {
      ...chat,
      'gen_ai.input.messages': json([{ role: 'user', parts: [part('[{"type":"text","text":"Hi"}]')] }]),
      'gen_ai.output.messages': json([{ role: 'assistant', parts: [part('')] }]),
    },
    inputs: asked,
  },
  {
    name: 'has instructions alone as the only message',
    attributes: { ...chat, 'gen_ai.system_instructions': json([part('Be short.')]) },
    inputs: { messages: [{ role: 'system', content: 'Be short.' }] },
  },
]

describe('the inputs and outputs of a span', () => {
  it.each(CASES)('$name', ({ attributes, span, inputs, outputs }) => {
    const mapped = mapSpan(aSpan(attributes, span))
    expect(mapped.inputs).toEqual(inputs)
    expect(mapped.outputs).toEqual(outputs)
    expect(mapped.warnings).toEqual([])
  })

  it('are the arguments of a tool, and not the schema of its arguments', () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } } }
    const tool = {
      'openinference.span.kind': 'TOOL',
      'tool.parameters': json(schema),
      'input.value': json({ city: 'Paris' }),
      'input.mime_type': 'application/json',
    }
    const { inputs, extra } = mapSpan(aSpan(tool))
    expect(inputs).toEqual({ city: 'Paris' })
    expect(extra.otel).toMatchObject({ attributes: { 'tool.parameters': json(schema) } })
    const older = { 'openinference.span.kind': 'TOOL', 'tool.parameters': json({ city: 'Paris' }) }
    expect(mapSpan(aSpan(older)).inputs).toEqual({ city: 'Paris' })
  })

  it('come from log records, whose message is their body', () => {
    const records = [
      anEvent('gen_ai.system.message', {}, { content: 'Be short.' }),
      anEvent('gen_ai.user.message', {}, { content: 'Hi' }),
      anEvent(
        'gen_ai.choice',
        {},
        { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello' } },
      ),
    ]
    const { inputs, outputs } = mapSpan(aSpan(chat), records)
    expect(inputs).toEqual({ messages: [{ role: 'system', content: 'Be short.' }, ...asked.messages] })
    expect(outputs).toEqual({
      messages: [{ role: 'assistant', content: 'Hello', index: 0, finish_reason: 'stop' }],
    })
  })

  it('come from the details of a call in a log record', () => {
    const record = anEvent('gen_ai.client.inference.operation.details', {
      'gen_ai.input.messages': json([{ role: 'user', parts: [part('Hi')] }]),
      'gen_ai.output.messages': json([{ role: 'assistant', parts: [part('Hello')] }]),
    })
    const { inputs, outputs, events } = mapSpan(aSpan(chat), [record])
    expect({ inputs, outputs, events }).toEqual({ inputs: asked, outputs: answered, events: [] })
  })

  it('have a case for every row of the tables', () => {
    expect(findUntested(INPUT_SOURCES, 'inputs')).toEqual([])
    expect(findUntested(OUTPUT_SOURCES, 'outputs')).toEqual([])
  })
})

/** A row is tested when a case that names one of its attributes or events expects a value of it. */
function findUntested(sources: readonly PayloadSource[], side: 'inputs' | 'outputs'): string[] {
  const sent = CASES.filter((one) => one[side] !== undefined).map(({ attributes, span }) => [
    ...Object.keys(attributes ?? {}),
    ...(span?.events ?? []).map(({ name }) => name),
  ])
  const isSent = (word: string) => sent.some((keys) => keys.some((key) => key === word || key.startsWith(`${word}.`)))
  const words = (attribute: string) =>
    attribute
      .replace(/^events? /, '')
      .replace(/: .*/, '')
      .replace(/ → .*/, '')
      .replace('{type}', 'agent_run')
      .replace(/\.\{n\}.*/, '')
      .replace('{provider}', 'openai')
      .split(', ')
  return sources
    .filter(({ attributes }) => !attributes.flatMap(words).some(isSent))
    .map(({ attributes }) => attributes.join(', '))
}
