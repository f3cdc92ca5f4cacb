import type { ModelMessage, ModelMessagePart } from '@touchstone/contract'
import { ArrowDown, ArrowUp, ImagePlus, Plus, X } from 'lucide-react'
import { type KeyboardEvent, useLayoutEffect, useRef } from 'react'
import { moveElement } from '#features/datasets/examples/logic/chat-messages.ts'
import { printJson } from '#features/prompts/print-json.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { CONTROL } from '#ui/field.tsx'
import { JsonEditor } from '#ui/json-editor.tsx'
import { Menu, MenuItem, MenuLine } from '#ui/menu.tsx'
import { Select } from '#ui/select.tsx'
import { toast } from '#ui/toast.tsx'
import { readImage } from './logic/read-image.ts'
import { listParts, toContent, type Variant, type VariantMessage } from './logic/variant.ts'

interface MessageListProps {
  /** Name of the variant. */
  name: string
  /** Characters that another image may have. */
  findImageSpace: () => number
  messages: Variant['messages']
  onChange: (change: (messages: readonly VariantMessage[]) => readonly VariantMessage[]) => void
}

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'placeholder'] as const
type Role = (typeof ROLES)[number]
const ROLE_OPTIONS = ROLES.map((role) => ({ value: role, label: role === 'placeholder' ? 'messages' : role }))

/** The messages of a variant, one below the other. Alt with an arrow moves a message. */
export function MessageList({ name, messages, findImageSpace, onChange }: MessageListProps) {
  const list = useRef<HTMLOListElement>(null)
  const focusNext = useRef<number>(undefined)
  useLayoutEffect(() => {
    const at = focusNext.current
    if (at === undefined) return
    focusNext.current = undefined
    list.current?.children[at]?.querySelector<HTMLElement>('textarea, input')?.focus()
  })
  function move(at: number, by: 1 | -1) {
    focusNext.current = at + by
    onChange((all) => moveElement(all, at, by))
  }
  function press(event: KeyboardEvent, at: number) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key] as 1 | -1 | undefined
    if (!event.altKey || by === undefined || messages[at + by] === undefined) return
    event.preventDefault()
    event.stopPropagation()
    move(at, by)
  }
  function add(message: VariantMessage) {
    focusNext.current = messages.length
    onChange((all) => [...all, message])
  }
  return (
    <section aria-label={`Messages of ${name}`} className="flex min-w-0 flex-col gap-2">
      <ol ref={list} className="flex min-w-0 flex-col gap-2 empty:hidden">
        {messages.map((message, at) => (
          <MessageCard
            // Messages have no ids; their fields keep no state of their own.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            key={at}
            label={`Message ${at + 1} of ${name}`}
            message={message}
            findImageSpace={findImageSpace}
            onChange={(next) => onChange((all) => all.map((one, index) => (index === at ? next : one)))}
            onKeyDown={(event) => press(event, at)}
            onUp={at === 0 ? undefined : () => move(at, -1)}
            onDown={at === messages.length - 1 ? undefined : () => move(at, 1)}
            onRemove={() => onChange((all) => all.filter((_, index) => index !== at))}
          />
        ))}
      </ol>
      <Menu
        trigger={
          <Button look="quiet" className="w-fit" aria-label={`Add message to ${name}`}>
            <Plus size={13} aria-hidden />
            Message
          </Button>
        }
      >
        {(['user', 'assistant', 'system', 'tool'] as const).map((role) => (
          <MenuItem key={role} onSelect={() => add(withRole({ role: 'user', content: '' }, role))}>
            {role}
          </MenuItem>
        ))}
        <MenuLine />
        <MenuItem onSelect={() => add({ role: 'placeholder', variable: 'history', optional: true })}>
          Messages of a variable
        </MenuItem>
      </Menu>
    </section>
  )
}

interface MessageCardProps extends Pick<MessageListProps, 'findImageSpace'> {
  label: string
  message: VariantMessage
  onChange: (message: VariantMessage) => void
  onKeyDown: (event: KeyboardEvent) => void
  onUp: (() => void) | undefined
  onDown: (() => void) | undefined
  onRemove: () => void
}

function MessageCard({
  label,
  message,
  findImageSpace,
  onChange,
  onKeyDown,
  onUp,
  onDown,
  onRemove,
}: MessageCardProps) {
  const isSent = message.role !== 'kept'
  return (
    <li
      aria-label={label}
      onKeyDown={onKeyDown}
      className="group/message flex min-w-0 flex-col rounded-card border border-border bg-surface focus-within:border-border-strong"
    >
      <div className="flex min-w-0 items-center gap-1 py-0.5 pl-1 pr-0.5">
        {isSent ? (
          <Select
            aria-label={`Role of ${label}`}
            size="small"
            className="border-transparent font-medium hover:bg-hover"
            value={message.role}
            onChange={(role: Role) => onChange(withRole(message, role))}
            options={ROLE_OPTIONS}
          />
        ) : (
          <span className="min-w-0 truncate px-1.5 text-meta font-medium" title={message.type}>
            {message.type}
          </span>
        )}
        <span className="ml-auto flex shrink-0">
          {isSent && message.role !== 'placeholder' && (
            <AddImage label={label} message={message} findImageSpace={findImageSpace} onChange={onChange} />
          )}
          <IconButton icon={ArrowUp} label={`Move ${label} up`} keys="alt+arrowup" disabled={!onUp} onClick={onUp} />
          <IconButton
            icon={ArrowDown}
            label={`Move ${label} down`}
            keys="alt+arrowdown"
            disabled={!onDown}
            onClick={onDown}
          />
          <IconButton icon={X} label={`Remove ${label}`} onClick={onRemove} />
        </span>
      </div>
      {message.role === 'kept' ? (
        <p className="px-2.5 pb-2 text-row text-fg-muted">Kept in the prompt and not sent.</p>
      ) : message.role === 'placeholder' ? (
        <div className="flex flex-wrap items-center gap-2 px-2 pb-2">
          <input
            aria-label={`Variable of ${label}`}
            value={message.variable}
            maxLength={200}
            spellCheck={false}
            placeholder="Name of the variable"
            onChange={(event) => onChange({ ...message, variable: event.target.value })}
            className={`${CONTROL} max-w-60 font-mono`}
          />
          <label className="flex items-center gap-1.5 text-row text-fg-muted">
            <input
              type="checkbox"
              checked={message.optional}
              onChange={(event) => onChange({ ...message, optional: event.target.checked })}
            />
            Optional
          </label>
        </div>
      ) : (
        <Content label={label} message={message} onChange={onChange} />
      )}
    </li>
  )
}

/** A message of another role with the same content. */
function withRole(message: VariantMessage, role: Role): VariantMessage {
  if (role === 'placeholder') return { role, variable: 'history', optional: true }
  const content = 'content' in message ? (message.content ?? '') : ''
  if (role === 'tool') return { role, tool_call_id: '', content }
  return { role, content }
}

interface ContentProps {
  label: string
  message: ModelMessage
  onChange: (message: VariantMessage) => void
}

/** Texts, images and raw parts of a message, and the calls of an assistant. */
function Content({ label, message, onChange }: ContentProps) {
  const parts = listParts(message.content)
  const shown: readonly ModelMessagePart[] =
    parts.length === 0 && !hasCalls(message) ? [{ type: 'text', text: '' }] : parts
  const write = (next: readonly ModelMessagePart[]) =>
    onChange({ ...message, content: toContent(next) } as ModelMessage)
  const change = (at: number, part: ModelMessagePart | undefined) =>
    write(shown.flatMap((one, index) => (index === at ? (part ?? []) : one)))
  return (
    <div className="flex min-w-0 flex-col gap-1.5 pb-1.5">
      {message.role === 'tool' && (
        <input
          aria-label={`Call that ${label} answers`}
          value={message.tool_call_id}
          spellCheck={false}
          placeholder="Id of the call that it answers"
          onChange={(event) => onChange({ ...message, tool_call_id: event.target.value })}
          className={`${CONTROL} mx-2 !w-auto font-mono`}
        />
      )}
      {message.role === 'assistant' && message.reasoning && (
        <Disclosure className="px-2" summary={`Reasoning, ${message.reasoning.length} characters`}>
          <p className="max-h-40 overflow-auto whitespace-pre-wrap text-row text-fg-muted [overflow-wrap:anywhere]">
            {message.reasoning}
          </p>
        </Disclosure>
      )}
      {shown.map((part, at) => (
        <Part
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no ids; their fields keep no state of their own
          key={at}
          label={shown.length > 1 ? `Part ${at + 1} of ${label}` : `Content of ${label}`}
          part={part}
          isOnly={shown.length === 1}
          onChange={(next) => change(at, next)}
        />
      ))}
      {message.role === 'assistant' && hasCalls(message) && (
        <Calls label={label} message={message} onChange={onChange} />
      )}
    </div>
  )
}

const hasCalls = (message: ModelMessage) => message.role === 'assistant' && (message.tool_calls ?? []).length > 0

interface PartProps {
  label: string
  part: ModelMessagePart
  isOnly: boolean
  /** @param part  undefined removes the part */
  onChange: (part: ModelMessagePart | undefined) => void
}

function Part({ label, part, isOnly, onChange }: PartProps) {
  if (part.type === 'text') {
    return (
      <textarea
        aria-label={label}
        dir="auto"
        spellCheck={false}
        rows={2}
        value={part.text}
        placeholder="Write a message"
        onChange={(event) => onChange({ type: 'text', text: event.target.value })}
        // The field grows with its text; browsers without that scroll.
        className="max-h-[50vh] min-h-14 w-full resize-y bg-transparent px-2.5 py-1 text-form outline-none [field-sizing:content] placeholder:text-fg-subtle"
      />
    )
  }
  const { url = '' } = part.type === 'image_url' ? part.image_url : {}
  const isData = url.startsWith('data:')
  return (
    <div className="mx-2 flex min-w-0 items-start gap-1.5">
      {part.type === 'image_url' ? (
        <div className="flex min-w-0 flex-1 flex-col gap-1">
          {isData && (
            <img src={url} alt={label} className="max-h-40 w-fit max-w-full rounded-control border border-border" />
          )}
          {!isData && (
            <input
              aria-label={`Address of the image, ${label}`}
              value={url}
              spellCheck={false}
              placeholder="https://… or a variable"
              onChange={(event) => onChange({ ...part, image_url: { ...part.image_url, url: event.target.value } })}
              className={`${CONTROL} font-mono`}
            />
          )}
        </div>
      ) : (
        <Disclosure className="min-w-0 flex-1" summary={`Raw part ${String(part.raw.type ?? '')}, sent as it is`}>
          <pre className="max-h-60 overflow-auto whitespace-pre-wrap rounded-control bg-sunken px-2 py-1 font-mono text-meta [overflow-wrap:anywhere]">
            {printJson(part.raw)}
          </pre>
        </Disclosure>
      )}
      <IconButton
        icon={X}
        label={`Remove ${label}`}
        onClick={() => onChange(isOnly ? { type: 'text', text: '' } : undefined)}
      />
    </div>
  )
}

/** Calls of tools that the assistant made, as JSON. */
function Calls({ label, message, onChange }: ContentProps) {
  if (message.role !== 'assistant') return null
  const calls = message.tool_calls ?? []
  return (
    <div className="mx-2 flex min-w-0 flex-col gap-1.5">
      {calls.map((call, at) => {
        const change = (next: typeof call) =>
          onChange({ ...message, tool_calls: calls.map((one, index) => (index === at ? next : one)) })
        const { name } = call.function
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: ids of calls may be equal or empty
          <div key={at} className="flex min-w-0 flex-col gap-1 rounded-control bg-sunken p-1.5">
            <span className="flex min-w-0 items-baseline gap-2 font-mono text-row">
              <span className="min-w-0 truncate">{name}</span>
              <span className="min-w-0 truncate text-meta text-fg-muted">{call.id}</span>
            </span>
            <JsonEditor
              label={`Arguments of ${name} in ${label}`}
              value={call.function.arguments}
              onChange={(text) => change({ ...call, function: { name, arguments: text } })}
              className="max-h-40"
            />
          </div>
        )
      })}
    </div>
  )
}

type AddImageProps = ContentProps & Pick<MessageListProps, 'findImageSpace'>

/** Adds images from files, or the place for the address of one. */
function AddImage({ label, message, findImageSpace, onChange }: AddImageProps) {
  const file = useRef<HTMLInputElement>(null)
  const add = (urls: readonly string[]) => {
    const images = urls.map((url) => ({ type: 'image_url' as const, image_url: { url } }))
    onChange({ ...message, content: [...listParts(message.content), ...images] } as ModelMessage)
  }
  async function read(chosen: readonly File[]) {
    const urls: string[] = []
    for (const one of chosen) {
      const used = urls.reduce((sum, { length }) => sum + length, 0)
      const image = await readImage(one, findImageSpace() - used).catch((cause: unknown) => {
        toast.failure(`Could not read ${one.name}`, cause)
      })
      if (image === undefined) continue
      if ('problem' in image) toast.failure(image.problem)
      else {
        urls.push(image.url)
        if (image.note !== undefined) toast.note(image.note)
      }
    }
    if (urls.length > 0) add(urls)
  }
  return (
    <>
      <input
        ref={file}
        type="file"
        accept="image/*"
        aria-label={`Files of images of ${label}`}
        multiple
        hidden
        onChange={(event) => {
          void read([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
      <Menu align="end" trigger={<IconButton icon={ImagePlus} label={`Add image to ${label}`} />}>
        <MenuItem onSelect={() => file.current?.click()}>Images from files…</MenuItem>
        <MenuItem onSelect={() => add([''])}>Image by address or variable</MenuItem>
      </Menu>
    </>
  )
}
