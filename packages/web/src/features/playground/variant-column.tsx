import { Link } from '@tanstack/react-router'
import type { ModelProvider } from '@touchstone/sdk'
import {
  CopyPlus,
  Ellipsis,
  GitCommitVertical,
  MessageSquareCode,
  Play,
  Square,
  Trash2,
  TriangleAlert,
} from 'lucide-react'
import { type KeyboardEvent, memo, useState } from 'react'
import { promptLink } from '#features/prompts/document/prompt-parts.tsx'
import { shortHash, toPromptName } from '#features/prompts/prompt-key.ts'
import { cx } from '#lib/browser.ts'
import { formatCompactTime, pluralize } from '#lib/format.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { Menu, MenuItem, MenuLine } from '#ui/menu.tsx'
import { Select } from '#ui/select.tsx'
import { AnswerPanel, type OtherOutput } from './answer-panel.tsx'
import { continueConversation, isBusy } from './logic/answers.ts'
import {
  canContinue,
  isStale,
  type PlaygroundController,
  type PlaygroundState,
  type VariantRun,
} from './logic/controller.ts'
import { findImageSpace } from './logic/draft.ts'
import { withFormat } from './logic/from-manifest.ts'
import { type RecoveryNote, readVariant, type Variant } from './logic/variant.ts'
import { MessageList } from './message-list.tsx'
import { ModelSettings } from './model-settings.tsx'
import { OutputSchemaEditor, ToolsEditor } from './tools-editor.tsx'

interface VariantColumnProps {
  tenant: string
  variant: Variant
  state: PlaygroundState
  controller: PlaygroundController
  providers: readonly ModelProvider[]
  notes: readonly RecoveryNote[]
  mayRun: boolean
  /** Whether the page is one column that scrolls as a whole. */
  isNarrow: boolean
  onRunAll: () => void
  /** Called with the key of the variant. */
  onCommit: (key: string) => void
  /** Called with the key of the variant. */
  onOpenPrompt: (key: string) => void
}

/** One variant: its prompt and model above, its answers below. */
export function VariantColumn(props: VariantColumnProps) {
  const { variant, state, controller, isNarrow, onRunAll, onCommit } = props
  const runs = state.runs[variant.key] ?? []
  const [shownId, setShownId] = useState<number>()
  const run = runs.find(({ id }) => id === shownId) ?? runs.at(-1)
  function press(event: KeyboardEvent) {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return
    // React also passes on the keys of a dialog that an answer opened elsewhere in the document.
    if (!event.currentTarget.contains(event.target as Node)) return
    event.preventDefault()
    onCommit(variant.key)
  }
  return (
    <article
      aria-label={`Variant ${variant.name}`}
      onKeyDown={press}
      className={cx(
        'flex min-w-0 flex-col border-r border-border bg-bg',
        isNarrow ? 'w-full' : 'min-h-0 min-w-88 flex-1 basis-88',
      )}
    >
      <ColumnHeader {...props} />
      <div className={cx(!isNarrow && 'min-h-0 flex-[1.1] overflow-y-auto')}>
        <Editor
          variant={variant}
          controller={controller}
          providers={props.providers}
          notes={props.notes}
          onRunAll={onRunAll}
          onCommit={onCommit}
        />
      </div>
      {run && (
        <div className={cx('border-t border-border-strong bg-sunken', !isNarrow && 'min-h-0 flex-1 overflow-y-auto')}>
          {runs.length > 1 && <History name={variant.name} runs={runs} shown={run} onShow={setShownId} />}
          <AnswerPanel
            key={run.id}
            name={variant.name}
            run={run}
            isStale={isStale(state, variant, run)}
            origin={state.origin}
            others={listOthers(state, variant)}
            blocked={findBlock(props, run)}
            onContinue={(message, results) => {
              controller.change(variant.key, (one) => continueConversation(one, message, results))
              if (results.length > 0) controller.run(variant.key)
            }}
            onRetry={() => controller.run(variant.key)}
            onRetryWithout={(parameter) => {
              if (!controller.retryWithout(variant.key, parameter)) controller.run(variant.key)
            }}
          />
        </div>
      )}
    </article>
  )
}

/** Why a conversation cannot go on from a run; undefined if it can. */
function findBlock({ variant, controller, mayRun }: VariantColumnProps, run: VariantRun): string | undefined {
  if (!mayRun) return READ_ONLY
  if (controller.isRunning(variant.key)) return 'Wait until the variant has run.'
  return canContinue(variant, run) ? undefined : 'The messages have changed since this run. Run the variant again.'
}

/** The newest finished outputs of the other variants. */
function listOthers({ variants, runs }: PlaygroundState, variant: Variant): OtherOutput[] {
  return variants.flatMap(({ key, name }) => {
    const answer = runs[key]?.at(-1)?.answers.find(({ status, text }) => status === 'done' && text !== '')
    return key === variant.key || answer === undefined ? [] : [{ name, text: answer.text }]
  })
}

function ColumnHeader({ tenant, variant, state, controller, mayRun, onCommit, onOpenPrompt }: VariantColumnProps) {
  const { key, name, prompt } = variant
  const isRunning = (state.runs[key]?.at(-1)?.answers ?? []).some(isBusy)
  const read = readVariant(variant)
  const problem = !mayRun ? READ_ONLY : 'problems' in read ? read.problems[0]?.message : undefined
  return (
    <header className="flex h-9 shrink-0 items-center gap-2 border-b border-border bg-surface pl-3 pr-1 coarse:h-12">
      <h2 className="text-row font-semibold">{name}</h2>
      {prompt && (
        <Link
          {...promptLink(tenant, prompt, shortHash(prompt.commit))}
          className="min-w-0 truncate font-mono text-meta text-fg-muted hover:underline"
          title={`${toPromptName(prompt)} at ${prompt.commit}`}
        >
          {toPromptName(prompt)}:{shortHash(prompt.commit)}
        </Link>
      )}
      <span className="ml-auto flex shrink-0 items-center gap-1">
        {isRunning ? (
          <Button onClick={() => controller.stop(key)} aria-label={`Stop ${name}`}>
            <Square size={12} aria-hidden />
            Stop
          </Button>
        ) : (
          <Button
            disabled={problem !== undefined}
            title={problem}
            onClick={() => controller.run(key)}
            aria-label={`Run ${name}`}
          >
            <Play size={12} aria-hidden />
            Run
          </Button>
        )}
        <Menu align="end" trigger={<IconButton icon={Ellipsis} label={`Actions of ${name}`} />}>
          <MenuItem icon={<GitCommitVertical size={13} aria-hidden />} keys="mod+s" onSelect={() => onCommit(key)}>
            Commit to a prompt…
          </MenuItem>
          <MenuItem icon={<MessageSquareCode size={13} aria-hidden />} onSelect={() => onOpenPrompt(key)}>
            Open a prompt…
          </MenuItem>
          <MenuItem icon={<CopyPlus size={13} aria-hidden />} onSelect={() => controller.add(variant)}>
            Duplicate
          </MenuItem>
          <MenuLine />
          <MenuItem
            danger
            icon={<Trash2 size={13} aria-hidden />}
            disabled={state.variants.length === 1}
            onSelect={() => controller.remove(key)}
          >
            Remove
          </MenuItem>
        </Menu>
      </span>
    </header>
  )
}

const FORMATS = [
  { value: 'f-string', label: 'f-string {x}' },
  { value: 'mustache', label: 'mustache {{x}}' },
  { value: 'none', label: 'No variables' },
] as const

interface EditorProps {
  variant: Variant
  controller: PlaygroundController
  providers: readonly ModelProvider[]
  notes: readonly RecoveryNote[]
  onRunAll: () => void
  onCommit: (key: string) => void
}

/** What is sent. Its answers change many times a second, so it is not drawn again for them. */
const Editor = memo(function Editor({ variant, controller, providers, notes, onRunAll, onCommit }: EditorProps) {
  const { key, name, format } = variant
  const change = (next: Partial<Variant>) => controller.change(key, (one) => ({ ...one, ...next }))
  const read = readVariant(variant)
  const problems = 'problems' in read ? read.problems : []
  const commit = () => onCommit(key)
  const hasTemplate = variant.messages.some(({ role }) => role !== 'kept')
  return (
    <div className="flex min-w-0 flex-col gap-2 p-2">
      <ModelSettings variant={variant} providers={providers} onChange={change} onSave={commit} onRun={onRunAll} />
      {notes.length > 0 && (
        <Disclosure
          className="rounded-control bg-sunken px-2"
          summary={
            <span className="inline-flex items-center gap-1.5 text-warn">
              <TriangleAlert size={13} aria-hidden />
              {pluralize(notes.length, 'part')} taken over in another way
            </span>
          }
        >
          <ul className="flex flex-col gap-0.5 pb-1.5 text-row">
            {notes.map(({ where, reason }) => (
              <li key={`${where} ${reason}`} className="[overflow-wrap:anywhere]">
                <span className="font-medium">{where}:</span> {reason}
              </li>
            ))}
          </ul>
        </Disclosure>
      )}
      <MessageList
        name={name}
        messages={variant.messages}
        findImageSpace={() => findImageSpace(controller.store.read())}
        onChange={(next) => controller.change(key, (one) => ({ ...one, messages: next(one.messages) }))}
      />
      <div className="flex flex-col">
        <ToolsEditor variant={variant} onChange={change} onSave={commit} onRun={onRunAll} />
        <OutputSchemaEditor variant={variant} onChange={change} onSave={commit} onRun={onRunAll} />
      </div>
      {hasTemplate && (
        <div className="flex items-center gap-2 text-row text-fg-muted">
          Variables
          <Select
            aria-label={`Template language of ${name}`}
            size="small"
            value={format}
            options={FORMATS}
            onChange={(to) => controller.change(key, (one) => withFormat(one, to))}
          />
        </div>
      )}
      {problems.map(({ field, message }) => (
        <p key={`${field} ${message}`} role="status" className="text-row text-err">
          {message}
        </p>
      ))}
    </div>
  )
})

interface HistoryProps {
  name: string
  runs: readonly VariantRun[]
  shown: VariantRun
  onShow: (id: number | undefined) => void
}

/** The runs of a variant; the newest is shown until another is chosen. */
function History({ name, runs, shown, onShow }: HistoryProps) {
  const newest = runs.at(-1)
  return (
    <div className="flex items-center gap-2 px-3 pt-2 text-row text-fg-muted">
      <Select
        aria-label={`Run of ${name}`}
        size="small"
        value={String(shown.id)}
        onChange={(id) => onShow(Number(id) === newest?.id ? undefined : Number(id))}
        options={[...runs].reverse().map(({ id, startedAt, answers }, at) => ({
          value: String(id),
          label: `${at === 0 ? 'Newest' : `Run ${runs.length - at}`}, ${formatCompactTime(startedAt)}${answers.length > 1 ? `, ${answers.length} answers` : ''}`,
        }))}
      />
      {shown !== newest && (
        <Button look="quiet" onClick={() => onShow(undefined)}>
          Show the newest
        </Button>
      )}
    </div>
  )
}
