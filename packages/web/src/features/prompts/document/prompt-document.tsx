import type {
  PromptDocument,
  PromptMessage,
  PromptModel,
  PromptPart,
  PromptTool,
} from '@touchstone/contract/prompt-manifest'
import type { TemplateFormat } from '@touchstone/formats/templates'
import type { ReactNode } from 'react'
import { pluralize } from '#lib/format.ts'
import { Disclosure } from '#ui/disclosure.tsx'
import { printJson } from '../print-json.ts'
import { TemplateText } from './template-text.tsx'

function VariableNames({ names }: { names: readonly string[] }) {
  return (
    <p className="flex flex-wrap gap-1.5">
      {names.map((name) => (
        <bdi key={name} className="rounded-control bg-selected px-1.5 font-mono text-row [overflow-wrap:anywhere]">
          {name}
        </bdi>
      ))}
    </p>
  )
}

/** Messages with their variables marked; model, tools and schema beside them. */
export function PromptDocumentView({ document }: { document: PromptDocument }) {
  const { messages, variables, optionalVariables, partials, model, tools, schema, schemaOptions, metadata, unread } =
    document
  const given = Object.entries(partials)
  return (
    <div className="flex gap-4 p-3 max-lg:flex-col sm:p-4">
      <section aria-label="Messages" className="flex min-w-0 flex-1 flex-col gap-3">
        {messages.length === 0 && <p className="text-row text-fg-muted">This prompt has no messages.</p>}
        {messages.map((message, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have no ids and never move
          <MessageCard key={index} message={message} />
        ))}
      </section>
      <div className="flex min-w-0 flex-col gap-3 lg:w-88 lg:shrink-0">
        <Card title="Variables" note={variables.length > 0 ? pluralize(variables.length, 'variable') : undefined}>
          {variables.length + optionalVariables.length + given.length === 0 && (
            <Muted>None. The prompt is the same for every call.</Muted>
          )}
          <VariableNames names={variables} />
          {optionalVariables.length > 0 && (
            <div className="flex flex-col gap-1 pt-2">
              <Muted>Optional, inside of sections</Muted>
              <VariableNames names={optionalVariables} />
            </div>
          )}
          {given.length > 0 && (
            <div className="flex flex-col gap-1 pt-2">
              <Muted>Filled in by the prompt</Muted>
              <Code value={partials} label="Values of variables" />
            </div>
          )}
        </Card>
        {model && <ModelCard model={model} />}
        {tools.length > 0 && (
          <Card title="Tools" note={pluralize(tools.length, 'tool')}>
            <ul className="flex flex-col gap-1.5">
              {tools.map((tool, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: tools have no ids and never move
                <ToolItem key={index} tool={tool} />
              ))}
            </ul>
          </Card>
        )}
        {schema !== undefined && schema !== null && (
          <Card title="Output schema">
            <Code value={schema} label="JSON Schema of the output" />
            {Object.keys(schemaOptions).length > 0 && (
              <div className="flex flex-col gap-1 pt-2">
                <Muted>Options</Muted>
                <Code value={schemaOptions} label="Options of the output" />
              </div>
            )}
          </Card>
        )}
        {Object.keys(metadata).length > 0 && (
          <Card title="Metadata">
            <Code value={metadata} label="Metadata of the prompt" />
          </Card>
        )}
        {unread.length > 0 && (
          <Card title="Not shown here">
            <Muted>The raw manifest also has: {unread.join(', ')}.</Muted>
          </Card>
        )}
      </div>
    </div>
  )
}

function MessageCard({ message }: { message: PromptMessage }) {
  if (message.kind === 'placeholder') {
    return (
      <article aria-label="Placeholder" className="rounded-card border border-dashed border-border-strong px-3 py-2">
        <p className="text-row text-fg-muted">
          Messages from{' '}
          <bdi className="rounded-control bg-selected px-1 font-mono text-fg [overflow-wrap:anywhere]">
            {message.variable}
          </bdi>
          {message.isOptional && ', optional'}
        </p>
      </article>
    )
  }
  const isUnknown = message.kind === 'unknown'
  const role = isUnknown ? message.type : message.role
  return (
    <article aria-label={role} className="overflow-hidden rounded-card border border-border bg-surface">
      <header className="flex items-center gap-2 border-b border-border bg-sunken px-3 py-1 text-row font-medium">
        <bdi className="min-w-0 truncate">{role}</bdi>
        {!isUnknown && message.name !== undefined && (
          <bdi className="min-w-0 truncate font-normal" title="Name">
            {message.name}
          </bdi>
        )}
        {!isUnknown && message.toolCallId !== undefined && (
          <span className="min-w-0 truncate font-normal text-fg-muted">
            answers call <bdi className="font-mono">{message.toolCallId}</bdi>
          </span>
        )}
        {!isUnknown && message.format === 'jinja2' && (
          <span className="font-normal text-fg-muted">jinja2 template, variables are not marked</span>
        )}
      </header>
      <div className="flex flex-col gap-2 px-3 py-2">
        {isUnknown ? (
          <Code value={message.value} label={role} />
        ) : (
          <>
            {message.parts.map((part, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: parts have no ids and never move
              <Part key={index} part={part} format={message.format} />
            ))}
            {message.toolCalls.length > 0 && <Code value={message.toolCalls} label="Tool calls" />}
            {message.partials && (
              <div className="flex flex-col gap-1">
                <Muted>Filled in by the message</Muted>
                <Code value={message.partials} label="Values of the message" />
              </div>
            )}
          </>
        )}
      </div>
    </article>
  )
}

function Part({ part, format }: { part: PromptPart; format: TemplateFormat | undefined }) {
  if (part.kind === 'unknown') return <Code value={part.value} label="Part of a message" />
  if (part.kind === 'text') return <TemplateText text={part.text} format={format} />
  return (
    <div className="flex gap-2 rounded-control bg-sunken px-2 py-1 text-row">
      <span className="text-fg-muted">Image</span>
      <div className="min-w-0 flex-1">
        <TemplateText
          text={part.text.startsWith('data:') ? `${part.text.slice(0, 80)}…` : part.text}
          format={format}
          isCode
        />
        {part.detail !== undefined && (
          <div className="flex gap-2 text-fg-muted">
            Detail <TemplateText text={part.detail} format={format} isCode />
          </div>
        )}
      </div>
    </div>
  )
}

function ModelCard({ model: { provider, name, settings, secrets } }: { model: PromptModel }) {
  const entries = Object.entries(settings)
  return (
    <Card title="Model" note={provider}>
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1 text-row">
        <dt className="text-fg-muted">Model</dt>
        <dd className="font-mono [overflow-wrap:anywhere]">{name ?? <Muted>Not set</Muted>}</dd>
        {entries.map(([key, value]) => (
          <Setting key={key} name={key} value={value} />
        ))}
        {secrets.length > 0 && (
          <>
            <dt className="text-fg-muted">Secrets</dt>
            <dd className="font-mono [overflow-wrap:anywhere]">{secrets.join(', ')}</dd>
          </>
        )}
      </dl>
    </Card>
  )
}

function Setting({ name, value }: { name: string; value: unknown }) {
  const isLarge = typeof value === 'object' && value !== null
  return (
    <>
      <dt className="max-w-40 truncate text-fg-muted" title={name}>
        {name}
      </dt>
      <dd className="min-w-0 font-mono [overflow-wrap:anywhere]">
        {isLarge ? <Code value={value} label={name} /> : String(value).slice(0, 2000)}
      </dd>
    </>
  )
}

function ToolItem({ tool }: { tool: PromptTool }) {
  return (
    <li className="flex flex-col gap-0.5">
      <span className="font-mono text-row font-medium [overflow-wrap:anywhere]">{tool.name}</span>
      {tool.description !== undefined && (
        <span dir="auto" className="text-row text-fg-muted [overflow-wrap:anywhere]">
          {tool.description.slice(0, 2000)}
        </span>
      )}
      <Disclosure summary="Definition">
        <Code value={tool.value} label={`Definition of ${tool.name}`} />
      </Disclosure>
    </li>
  )
}

function Card({ title, note, children }: { title: string; note?: string | undefined; children: ReactNode }) {
  return (
    <section aria-label={title} className="overflow-hidden rounded-card border border-border bg-surface">
      <h2 className="flex items-baseline gap-2 border-b border-border bg-sunken px-3 py-1 text-row font-medium">
        {title}
        {note !== undefined && <span className="min-w-0 truncate font-normal text-fg-muted">{note}</span>}
      </h2>
      <div className="px-3 py-2">{children}</div>
    </section>
  )
}

function Muted({ children }: { children: ReactNode }) {
  return <span className="text-row text-fg-muted">{children}</span>
}

/** A value as JSON, in a box that scrolls. */
export function Code({ value, label }: { value: unknown; label: string }) {
  return (
    <div
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      role="region"
      aria-label={label}
      className="max-h-72 overflow-auto rounded-control bg-sunken px-2 py-1"
    >
      <TemplateText text={printJson(value)} format={undefined} isCode />
    </div>
  )
}
