import { describe, expect, it } from 'vitest'
import { type CallFacts, toStatusProblem } from './problems.ts'

/** Answers as providers document them or give them. */
const ANSWERS: readonly (readonly [
  name: string,
  status: number,
  body: unknown,
  model: string,
  code: string,
  parameter?: string,
])[] = [
  [
    'OpenAI, unknown model',
    404,
    {
      error: { message: 'The model `gpt-9` does not exist or you do not have access to it.', code: 'model_not_found' },
    },
    'gpt-9',
    'unknown_model',
  ],
  [
    'Anthropic, unknown model',
    404,
    { type: 'error', error: { type: 'not_found_error', message: 'model: claude-9' } },
    'claude-9',
    'unknown_model',
  ],
  [
    'Gemini, unknown model',
    404,
    { error: { code: 404, message: 'models/gemini-9 is not found for API version v1beta.', status: 'NOT_FOUND' } },
    'gemini-9',
    'unknown_model',
  ],
  [
    'Ollama, model that is not pulled',
    404,
    { error: { message: 'model "llama9" not found, try pulling it first' } },
    'llama9',
    'unknown_model',
  ],
  [
    'Mistral, invalid model',
    400,
    { object: 'error', message: 'Invalid model: mistral-9', type: 'invalid_model' },
    'mistral-9',
    'unknown_model',
  ],
  [
    'OpenRouter, invalid model',
    400,
    { error: { message: 'x/y is not a valid model ID', code: 400 } },
    'x/y',
    'unknown_model',
  ],
  [
    'DeepSeek, invalid model',
    400,
    { error: { message: 'Model Not Exist', type: 'invalid_request_error' } },
    'd',
    'unknown_model',
  ],
  [
    'Azure, no deployment',
    404,
    { error: { code: 'DeploymentNotFound', message: 'The API deployment for this resource does not exist.' } },
    'd',
    'unknown_model',
  ],
  ['a web server', 404, '<html><body>404 page not found</body></html>', 'm', 'wrong_path'],
  ['FastAPI', 404, { detail: 'Not Found' }, 'm', 'wrong_path'],
  [
    'OpenAI, parameter in a field',
    400,
    {
      error: {
        message: "Unsupported value: 'temperature' does not support 0.2 with this model.",
        param: 'temperature',
        code: 'unsupported_value',
      },
    },
    'o3',
    'invalid_request',
    'temperature',
  ],
  [
    'OpenAI, other name of the parameter',
    400,
    { error: { message: "Unsupported parameter: 'max_completion_tokens'", param: 'max_completion_tokens' } },
    'm',
    'invalid_request',
    'max_tokens',
  ],
  [
    'Anthropic, parameter in words',
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: '`temperature` and `top_p` cannot both be specified for this model.',
      },
    },
    'claude',
    'invalid_request',
    'temperature',
  ],
  [
    'Gemini, field violation',
    400,
    {
      error: {
        message: 'Invalid JSON payload received.',
        status: 'INVALID_ARGUMENT',
        details: [{ fieldViolations: [{ field: 'generation_config.top_p', description: 'Invalid' }] }],
      },
    },
    'gemini',
    'invalid_request',
    'top_p',
  ],
  [
    'vLLM, extra field',
    400,
    { detail: [{ loc: ['body', 'own_field'], msg: 'Extra inputs are not permitted' }] },
    'm',
    'invalid_request',
    'own_field',
  ],
  [
    'a mistake without a parameter',
    400,
    { error: { message: 'messages: roles must alternate' } },
    'm',
    'invalid_request',
  ],
  [
    'Gemini, bad key',
    400,
    { error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } },
    'm',
    'unauthorized',
  ],
  ['OpenRouter, no credit', 402, { error: { message: 'Insufficient credits' } }, 'm', 'no_credit'],
  ['a proxy', 502, '<html>Bad gateway</html>', 'm', 'provider_failed'],
  [
    'Anthropic, overloaded',
    529,
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    'm',
    'provider_failed',
  ],
  ['a redirect without a target', 302, '', 'm', 'invalid_reply'],
]

const sent = new Map([
  ['temperature', 'temperature'],
  ['top_p', 'top_p'],
  ['topP', 'top_p'],
  ['max_completion_tokens', 'max_tokens'],
  ['own_field', 'own_field'],
])

describe('the problem of an answer', () => {
  const cases = ANSWERS.map(([name, status, body, model, code, parameter]) => {
    return { name, status, body, model, code, parameter }
  })
  it.each(cases)('of $name', ({ status, body, model, code, parameter }) => {
    const facts: CallFacts = { host: 'h', wireName: 'w', model, hasKey: true, sent }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const problem = toStatusProblem({ status, text, headers: {} }, facts)
    expect(problem).toMatchObject({ code, status, offending_parameter: parameter ?? null })
    if (text !== '') expect(problem.provider_message).toMatch(/\w/)
    expect(problem.provider_message ?? '').not.toContain('<')
  })

  it.each([
    [{ 'retry-after': '12' }, 12],
    [{ 'retry-after-ms': '1500', 'retry-after': '2' }, 1.5],
    [{ 'retry-after': new Date(Date.now() + 30_000).toUTCString() }, 30],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '99999999' }, 86_400],
  ])('names the seconds until a retry: %j', (headers, seconds) => {
    const facts: CallFacts = { host: 'h', wireName: 'w', model: 'm', hasKey: true, sent }
    const { retry_after_seconds } = toStatusProblem({ status: 429, text: '', headers }, facts)
    if (seconds === null) expect(retry_after_seconds).toBeNull()
    else expect(Math.abs((retry_after_seconds ?? 0) - seconds)).toBeLessThan(2)
  })

  it.each(['<', '<script>', '{"error":{"code":{"toString":1}}}'])(
    'is found in a page of a million times %s',
    (part) => {
      const facts: CallFacts = { host: 'h', wireName: 'w', model: 'm', hasKey: true, sent }
      const text = part.startsWith('{') ? part : part.repeat(1_000_000)
      expect(toStatusProblem({ status: 500, text, headers: {} }, facts).status).toBe(500)
    },
  )

  it('does not take a longer name for a parameter', () => {
    const facts: CallFacts = { host: 'h', wireName: 'w', model: 'm', hasKey: true, sent: new Map([['stop', 'stop']]) }
    const text = JSON.stringify({ error: { message: 'stop_sequences and non-stop are not known' } })
    expect(toStatusProblem({ status: 400, text, headers: {} }, facts).offending_parameter).toBeNull()
  })
})
