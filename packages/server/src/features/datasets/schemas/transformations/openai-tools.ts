import type { JsonRecord } from '../../../../json/guards.ts'
import { isRecord } from '../../../../json/guards.ts'

/**
 * One tool definition in any of the known forms (OpenAI with or without its wrapper, Anthropic, Bedrock, Gemini, a JSON
 * Schema with a title) as OpenAI tools: Gemini puts several into one object. What is no tool comes back as it is.
 */
export function toOpenaiTools(given: unknown): unknown[] {
  if (!isRecord(given)) return [given]
  const declared = given.functionDeclarations ?? given.function_declarations
  if (Array.isArray(declared)) return declared.flatMap(toOpenaiTools)
  if (isRecord(given.function)) return [{ ...given, type: 'function' }]
  if (isRecord(given.toolSpec)) {
    const { name, description, inputSchema } = given.toolSpec
    return [tool(name, description, isRecord(inputSchema) ? inputSchema.json : undefined)]
  }
  if (typeof given.name === 'string') {
    const { name, description, parameters, input_schema, inputSchema, args_schema, strict } = given
    return [tool(name, description, parameters ?? input_schema ?? inputSchema ?? args_schema, strict)]
  }
  if (typeof given.title === 'string' && isRecord(given.properties)) {
    const { title, description, ...parameters } = given
    return [tool(title, description, parameters)]
  }
  return [given]
}

function tool(name: unknown, description: unknown, parameters: unknown, strict?: unknown): JsonRecord {
  const named = {
    name,
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters }),
  }
  return { type: 'function', function: { ...named, ...(strict !== undefined && { strict }) } }
}
