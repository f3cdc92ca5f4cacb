import type { JsonRecord } from '../json/guards.ts'

/*
 * One model of recorded messages for all providers, frameworks and instrumentations. Readers make it, writers print it in
 * the format of a provider, pages show it. What a reader does not understand is kept: an unknown block is a part of its own,
 * an unknown member of a known block is in `rest`.
 */

export interface Message {
  /** `system`, `developer`, `user`, `assistant` or `tool`; other roles as they were recorded. */
  readonly role: string
  /** Name of a participant. */
  readonly name?: string
  readonly parts: readonly Part[]
  /** Members of the message that are in no part, such as its id. */
  readonly rest?: JsonRecord
}

export type Part =
  | TextPart
  | ReasoningPart
  | RefusalPart
  | CodePart
  | MediaPart
  | SourcesPart
  | ToolCall
  | ToolResult
  | UnknownPart

/** What every part has beside its content. */
interface Recorded {
  /** The block as it was recorded; absent for a text that was no block. */
  readonly raw?: JsonRecord
  /** Members of the block that the part does not show, such as `cache_control`. */
  readonly rest?: JsonRecord
}

export interface TextPart extends Recorded {
  readonly kind: 'text'
  readonly text: string
  /** Where the model found what is in the text. */
  readonly citations?: readonly Citation[]
}

/** What a model thought before it answered. */
export interface ReasoningPart extends Recorded {
  readonly kind: 'reasoning'
  /** Empty when the provider hides it. */
  readonly text: string
  /** The provider sent the reasoning encrypted, or removed it. */
  readonly isHidden?: true
  /** Proof of the provider that its model wrote the reasoning. */
  readonly signature?: string
  /** Whose proof it is; absent when the format does not say. Other providers refuse it. */
  readonly signedBy?: Signer
}

export type Signer = 'anthropic' | 'gemini' | 'openai'

/** The model refuses to answer, with its reason. */
export interface RefusalPart extends Recorded {
  readonly kind: 'refusal'
  readonly text: string
}

/** Code that the provider runs for the model. */
export interface CodePart extends Recorded {
  readonly kind: 'code'
  readonly code: string
  /** As the provider names it, for example `python`; empty when it does not. */
  readonly language: string
}

export interface MediaPart extends Recorded {
  readonly kind: 'media'
  readonly media: Media
}

/** An image, audio, video or document. */
export interface Media {
  readonly type: 'image' | 'audio' | 'video' | 'file'
  /** A `data:` or http(s) URL, or `attachment:NAME` of the run; absent if only the provider's id of a file is known. */
  readonly url?: string
  /** The URL in the message as it was recorded, where `url` refers to an attachment that may not have been uploaded. */
  readonly originalUrl?: string
  readonly mime?: string
  /** Title, file name, or the provider's id of the file. */
  readonly label?: string
  /** The provider's id of the file. */
  readonly fileId?: string
  /** How closely a model looks at an image. */
  readonly detail?: string
  /** The words of an audio. */
  readonly transcript?: string
  /** A document that was recorded as text. */
  readonly text?: string
}

/** Sources of an answer that belong to no text of it. */
export interface SourcesPart extends Recorded {
  readonly kind: 'sources'
  readonly sources: readonly Citation[]
}

export interface Citation {
  readonly title?: string
  readonly url?: string
  /** The cited words of the source. */
  readonly quote?: string
  /** As it was recorded, with the position in the text in the units of its provider. */
  readonly raw: JsonRecord
}

export interface ToolCall extends Recorded {
  readonly kind: 'tool_call'
  /** The id that the result refers to. */
  readonly id?: string
  readonly name: string
  /** JSON value of the arguments; their text where it is no JSON, or has numbers that JavaScript cannot hold. */
  readonly args: unknown
  /** The arguments as the model wrote them; absent when they were recorded as a value. */
  readonly text?: string
  /** Like the signature of reasoning; only Gemini signs calls. */
  readonly signature?: string
  /** A tool of the provider: it runs the tool itself, or the tool has a format of its own. */
  readonly isOfProvider?: true
  /** The format of OpenAI before there were tools: one `function_call` without an id. */
  readonly isFunctionCall?: true
}

export interface ToolResult extends Recorded {
  readonly kind: 'tool_result'
  /** Id of the tool call. */
  readonly id?: string
  readonly name?: string
  readonly parts: readonly Part[]
  readonly isError?: boolean
  readonly isOfProvider?: true
}

/** A block that no reader knows, or a JSON value where a text was expected. */
export interface UnknownPart {
  readonly kind: 'unknown'
  readonly value: unknown
  readonly raw?: JsonRecord
  readonly rest?: JsonRecord
}

/** A tool that a model could call. */
export interface OfferedTool {
  readonly name: string
  readonly description?: string
  /** JSON schema of the arguments, or what the provider has in its place. */
  readonly schema?: unknown
}
