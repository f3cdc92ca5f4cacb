import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react'
import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react'
import { Button, IconButton } from '#ui/button.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { Select } from '#ui/select.tsx'
import { listFields } from '../schema/schema-form.ts'
import {
  type Chat,
  type ChatMessageText,
  moveElement,
  printChat,
  setField,
  setRole,
  startMessage,
} from './logic/chat-messages.ts'
import { type OnValidity, ValueControl } from './value-control.tsx'

interface MessageEditorProps {
  /** Name of the value: `Inputs: messages`. */
  label: string
  chat: Chat
  readOnly: boolean
  /** @param json  the JSON text of the whole value */
  onChange: (json: string) => void
  onSave: () => void
  onValidity?: OnValidity | undefined
}

/** Messages of an example, one below the other: role, content and other fields. Alt with an arrow moves a message. */
export function MessageEditor({ label, chat, readOnly, onChange, onSave, onValidity }: MessageEditorProps) {
  const list = useRef<HTMLOListElement>(null)
  /** The message that takes the focus, at its content or at a button that moves it. */
  const focusNext = useRef<{ at: number; moves?: 'up' | 'down' }>(undefined)
  const { ids, change: changeIds } = useIds(chat.messages.length)
  const messages = chat.messages.map((message, at) => ({ id: ids[at] ?? at, message }))
  function write(next: readonly { id: number; json: string }[]) {
    changeIds(next.map(({ id }) => id))
    onChange(
      printChat(
        chat,
        next.map(({ json }) => json),
      ),
    )
  }
  const texts = messages.map(({ id, message }) => ({ id, json: message.json }))
  useLayoutEffect(() => {
    const next = focusNext.current
    if (next === undefined) return
    focusNext.current = undefined
    const message = list.current?.children[next.at]
    if (next.moves !== undefined && message !== undefined) {
      // A message at an end moves the other way only.
      const buttons = [...message.querySelectorAll<HTMLElement>('button[data-moves]:not([disabled])')]
      return (buttons.find(({ dataset }) => dataset.moves === next.moves) ?? buttons[0])?.focus()
    }
    if (message === undefined) list.current?.parentElement?.querySelector('button')?.focus()
    const content = message?.querySelector<HTMLElement>('textarea, [role=textbox]')
    ;(content ?? message?.querySelector<HTMLElement>('[role=combobox]'))?.focus()
  })
  function move(at: number, by: 1 | -1, moves?: 'up' | 'down') {
    const moved = moveElement(texts, at, by)
    if (moved === texts) return
    focusNext.current = { at: at + by, ...(moves && { moves }) }
    write(moved)
  }
  function press(event: KeyboardEvent, at: number) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key] as 1 | -1 | undefined
    // The editor of JSON moves a line by these keys.
    if (event.defaultPrevented || !event.altKey || by === undefined || readOnly) return
    event.preventDefault()
    event.stopPropagation()
    move(at, by)
  }
  function add() {
    focusNext.current = { at: texts.length }
    write([...texts, { id: Math.max(-1, ...ids) + 1, json: startMessage(chat) }])
  }
  function remove(at: number) {
    focusNext.current = { at: Math.min(at, texts.length - 2) }
    write(texts.filter((_, index) => index !== at))
  }
  return (
    <section aria-label={label} className="flex min-w-0 flex-col gap-2">
      <ol ref={list} className="flex min-w-0 flex-col gap-2 empty:hidden">
        {messages.map(({ id, message }, at) => (
          <Message
            key={id}
            label={label}
            number={at + 1}
            message={message}
            readOnly={readOnly}
            onChange={(json) => write(texts.map((text) => (text.id === id ? { id, json } : text)))}
            onSave={onSave}
            onValidity={onValidity}
            onKeyDown={(event) => press(event, at)}
            {...(chat.isList && {
              onUp: at === 0 ? undefined : () => move(at, -1, 'up'),
              onDown: at === texts.length - 1 ? undefined : () => move(at, 1, 'down'),
              onRemove: () => remove(at),
            })}
          />
        ))}
      </ol>
      {chat.messages.length === 0 && <p className="text-row text-fg-subtle">No messages</p>}
      {chat.isList && !readOnly && (
        <div>
          <Button onClick={add}>
            <Plus size={13} aria-hidden />
            Add message
          </Button>
        </div>
      )}
    </section>
  )
}

/**
 * Ids of the messages of a list, which have none of their own. A message keeps its id, and with it the state of its fields,
 * while others are moved or removed. A list that was replaced from outside keeps the ids by position.
 */
function useIds(count: number) {
  const [ids, change] = useState<readonly number[]>(() => Array.from({ length: count }, (_, at) => at))
  if (ids.length === count) return { ids, change }
  const next = Math.max(-1, ...ids) + 1
  const all = Array.from({ length: count }, (_, at) => ids[at] ?? next + at)
  change(all)
  return { ids: all, change }
}

interface MessageProps extends Pick<MessageEditorProps, 'label' | 'readOnly' | 'onSave' | 'onValidity'> {
  number: number
  message: ChatMessageText
  /** @param json  the JSON text of the message */
  onChange: (json: string) => void
  onKeyDown: (event: KeyboardEvent) => void
  onUp?: (() => void) | undefined
  onDown?: (() => void) | undefined
  /** Absent where the value is one message. */
  onRemove?: (() => void) | undefined
}

function Message(props: MessageProps) {
  const { label, number, message, readOnly, onChange, onSave, onValidity, onKeyDown, ...moves } = props
  const id = useId()
  const name = `message ${number}`
  const fields = listFields(undefined, message.body)
  const others = fields.filter(({ key }) => message.others.includes(key))
  const content = fields.find(({ key }) => key === 'content')
  return (
    <li
      aria-label={`Message ${number}`}
      onKeyDown={onKeyDown}
      className="flex min-w-0 flex-col gap-1.5 rounded-card border border-border bg-surface p-2"
    >
      <div className="flex min-w-0 items-center gap-1">
        {readOnly ? (
          <span className="text-row font-medium">{message.role}</span>
        ) : (
          <Select
            aria-label={`Role of ${name}`}
            size="toolbar"
            value={message.role}
            onChange={(role) => onChange(setRole(message, role))}
            options={message.roles.map((role) => ({ value: role, label: role }))}
          />
        )}
        {!readOnly && moves.onRemove && (
          <span className="ml-auto flex shrink-0">
            <IconButton
              icon={ArrowUp}
              label={`Move ${name} up`}
              keys="alt+arrowup"
              data-moves="up"
              disabled={moves.onUp === undefined}
              onClick={() => moves.onUp?.()}
            />
            <IconButton
              icon={ArrowDown}
              label={`Move ${name} down`}
              keys="alt+arrowdown"
              data-moves="down"
              disabled={moves.onDown === undefined}
              onClick={() => moves.onDown?.()}
            />
            <IconButton icon={X} label={`Remove ${name}`} onClick={moves.onRemove} />
          </span>
        )}
      </div>
      {content?.value !== undefined && (
        <>
          <label htmlFor={id} className="sr-only">
            Content of {name}
          </label>
          <ValueControl
            id={id}
            field={content}
            value={content.value}
            label={`${label}, ${name}`}
            readOnly={readOnly}
            onChange={(value) => onChange(setField(message, 'content', value ?? 'null'))}
            onSave={onSave}
            onValidity={onValidity}
          />
        </>
      )}
      {content?.value === undefined && !readOnly && (
        <div>
          <Button look="quiet" onClick={() => onChange(setField(message, 'content', '""'))}>
            Add content
          </Button>
        </div>
      )}
      {others.length > 0 && (
        <Disclosure className="min-w-0" summary={others.map(({ key }) => key).join(', ')}>
          <div className="mt-1.5 flex flex-col gap-2">
            {others.map((field) => (
              <div key={field.key} className="flex min-w-0 flex-col gap-1 text-row">
                <label htmlFor={`${id}-${field.key}`} className="truncate font-medium text-fg-muted">
                  {field.key}
                </label>
                <ValueControl
                  id={`${id}-${field.key}`}
                  field={field}
                  value={field.value ?? 'null'}
                  label={`${label}, ${name}`}
                  readOnly={readOnly}
                  onChange={(value) => onChange(setField(message, field.key, value ?? 'null'))}
                  onSave={onSave}
                  onValidity={onValidity}
                />
              </div>
            ))}
          </div>
        </Disclosure>
      )}
    </li>
  )
}
