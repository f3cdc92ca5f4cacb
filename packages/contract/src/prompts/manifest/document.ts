import type { TemplateFormat } from '@touchstone/formats/templates'

/** A manifest as people read and edit it. */
export interface PromptDocument {
  /** A chat has messages; a text has one template, under the role `prompt`. */
  readonly kind: 'chat' | 'text'
  /** Class of the prompt, e.g. `ChatPromptTemplate`. */
  readonly type: string
  readonly messages: readonly PromptMessage[]
  /** What a caller must give, in the order of the messages. Values that the prompt has itself are in `partials`. */
  readonly variables: readonly string[]
  /** What a caller may give: names inside mustache sections, unless the items of the section have them. */
  readonly optionalVariables: readonly string[]
  readonly partials: Readonly<Record<string, unknown>>
  /** JSON Schema of the output. */
  readonly schema: unknown
  /** How the schema is used, e.g. `{method: 'json_schema', strict: true}`. */
  readonly schemaOptions: Readonly<Record<string, unknown>>
  readonly model: PromptModel | undefined
  readonly tools: readonly PromptTool[]
  /** What the prompt adds to the metadata of its runs. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** Names of parts that are only in the manifest, e.g. steps between prompt and model. */
  readonly unread: readonly string[]
}

export type PromptMessage = WrittenMessage | MessagePlaceholder | UnknownMessage

export interface WrittenMessage {
  readonly kind: 'message'
  /** `system`, `user`, `assistant`, `tool`, `prompt`, or what the prompt names. */
  readonly role: string
  readonly parts: readonly PromptPart[]
  /** Undefined for a message without a template, whose braces are text. */
  readonly format: TemplateFormat | undefined
  /** Calls of an assistant's message, as they are stored. */
  readonly toolCalls: readonly unknown[]
  /** Name of the speaker or of the tool. */
  readonly name?: string
  /** The call that a tool's message answers. */
  readonly toolCallId?: string
  /** Values of variables that the message has itself. */
  readonly partials?: Readonly<Record<string, unknown>>
  /** Variables as the message lists them. Present when its templates cannot be cut into text and variables. */
  readonly listed?: readonly string[]
}

/** A place for a list of messages. */
export interface MessagePlaceholder {
  readonly kind: 'placeholder'
  readonly variable: string
  readonly isOptional: boolean
}

/** A message that is shown as it is stored. */
export interface UnknownMessage {
  readonly kind: 'unknown'
  readonly type: string
  readonly value: unknown
}

export type PromptPart =
  | { readonly kind: 'text'; readonly text: string }
  /** An image: an address or a template of one. `detail` is `auto`, `low`, `high`, or a template of one. */
  | { readonly kind: 'image'; readonly text: string; readonly detail?: string }
  | { readonly kind: 'unknown'; readonly value: unknown }

export interface PromptModel {
  /** Class, e.g. `ChatOpenAI`. */
  readonly provider: string
  /** Name of the model, e.g. `gpt-5`. */
  readonly name: string | undefined
  /** Settings and options of calls, without tools, name and secrets. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Names of the secrets that it is loaded with. */
  readonly secrets: readonly string[]
}

export interface PromptTool {
  readonly name: string
  readonly description: string | undefined
  /** JSON Schema of its arguments. */
  readonly parameters: unknown
  /** As it is stored. */
  readonly value: unknown
}

/** The document, or why the manifest can only be shown as JSON. */
export type ReadManifest = { readonly document: PromptDocument } | { readonly problem: string }
