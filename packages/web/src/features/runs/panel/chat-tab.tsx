import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { Run } from '@touchstone/contract'
import { FORMATS, readConversation } from '@touchstone/formats/messages'
import { type ReactNode, useMemo, useState } from 'react'
import { ChatView, ToolRunLink } from '#features/payloads/chat/chat-view.tsx'
import { type Conversation, findAttachedMedia } from '#features/payloads/chat/conversation.ts'
import { ProjectTextMode } from '#features/payloads/chat/text-mode.tsx'
import type { ToolRuns } from '#features/payloads/chat/tool-calls.ts'
import { toolRunsQuery } from '#features/traces/extra-queries.ts'
import { findRow } from '#features/traces/model/trace.ts'
import { type RunDocument, readPayload, traceQuery } from '#features/traces/queries.ts'
import { formatBytes } from '#lib/format.ts'
import { createChoicesByKey, isText } from '#lib/preferences.ts'
import { Button } from '#ui/button.tsx'
import { usePreference } from '#ui/hooks.tsx'
import { Select } from '#ui/select.tsx'
import { EmptyState } from '#ui/states.tsx'
import { PayloadRest } from './payload-rest.tsx'
import { toMemoryKey } from './run-document.ts'

export interface ChatTabProps {
  document: RunDocument
  /** Token of the public link, on public pages. */
  share: string | undefined
  /** Shows the raw inputs and outputs. */
  onRaw: () => void
}

/** Message format per project; '' detects it. */
const shapeChoices = createChoicesByKey('chat-read-as-in', isText)

/** The run as a conversation. Large payloads are parsed only on request. */
export function ChatTab({ document, share, onRaw }: ChatTabProps) {
  const [asked, setAsked] = useState(false)
  const [isChosenHere, setChosenHere] = useState(false)
  const [allShapes] = usePreference(shapeChoices)
  const place = toMemoryKey(document, 'chat') ?? 'shared'
  const choice = allShapes[place] ?? ''
  const choose = (shape: string) => {
    setChosenHere(true)
    shapeChoices.choose(place, shape)
  }
  const read = useQuery({
    queryKey: ['payload', document.run.id, document.readAt],
    queryFn: () => readPayload(document.json),
    enabled: asked && document.payload === undefined,
    structuralSharing: false,
    gcTime: 0,
  })
  const payload = document.payload ?? read.data
  const conversation = useMemo(() => {
    if (!payload) return undefined
    const asChosen = readConversation(payload.inputs, payload.outputs, choice || undefined)
    // A format selected for another run of the project may not fit this one.
    const adapted = asChosen ?? (isChosenHere ? undefined : readConversation(payload.inputs, payload.outputs))
    return adapted && withAttachments(adapted, document.run)
  }, [payload, choice, isChosenHere, document.run])
  if (!payload) {
    return (
      <EmptyState
        title={`This payload is large (${formatBytes(document.json.bytes)})`}
        actions={<Button onClick={() => setAsked(true)}>Show as chat</Button>}
      >
        {read.isFetching
          ? 'Loading…'
          : 'The chat view has to load all of it first. In/Out opens payloads of any size at once.'}
      </EmptyState>
    )
  }
  return (
    <div>
      <div className="flex h-8 items-center gap-2 border-b border-border px-3 text-meta text-fg-muted coarse:h-12">
        {/* biome-ignore lint/a11y/noLabelWithoutControl: the select is the control */}
        <label className="flex items-center gap-1.5">
          Format
          <Select
            size="small"
            value={choice}
            onChange={choose}
            options={[
              { value: '', label: choice === '' && conversation ? `Auto (${conversation.format.label})` : 'Auto' },
              ...FORMATS.map(({ id, label }) => ({ value: id, label })),
            ]}
          />
        </label>
        <button type="button" onClick={onRaw} className="ml-auto hover:text-fg hover:underline coarse:h-10">
          Show raw
        </button>
      </div>
      {conversation ? (
        <RunConversation document={document} share={share} conversation={conversation} />
      ) : (
        <EmptyState
          title="No conversation in this run"
          actions={<Button onClick={onRaw}>Show inputs and outputs</Button>}
        >
          {choice === ''
            ? 'No known message format was found in its inputs and outputs.'
            : 'The selected format does not match this run. Select another format or Auto.'}
        </EmptyState>
      )}
    </div>
  )
}

/** Shows the attachments that messages refer to in their place. */
function withAttachments(conversation: Conversation, { s3_urls }: Run): Conversation {
  const prefix = 'attachment.'
  const attached = Object.entries(s3_urls ?? {}).filter(([name]) => name.startsWith(prefix))
  if (attached.length === 0) return conversation
  const urls = new Map(attached.map(([name, { presigned_url }]) => [name.slice(prefix.length), presigned_url]))
  const { input, output } = conversation
  return { ...conversation, input: findAttachedMedia(input, urls), output: findAttachedMedia(output, urls) }
}

interface RunConversationProps extends Pick<ChatTabProps, 'document' | 'share'> {
  conversation: Conversation
}

/** The messages of a run, with links to the runs of its tool calls, and the rest of its payload as JSON. */
export function RunConversation({ document, share, conversation }: RunConversationProps) {
  const toolRuns = useToolRuns(document.run, conversation, share)
  return (
    <ToolRunLinks run={document.run} share={share}>
      <ProjectTextMode projectId={share === undefined ? document.run.session_id : undefined}>
        <ChatView
          conversation={conversation}
          toolRuns={toolRuns}
          inputRest={<Rest side="inputs" document={document} conversation={conversation} />}
          outputRest={<Rest side="outputs" document={document} conversation={conversation} />}
        />
      </ProjectTextMode>
    </ToolRunLinks>
  )
}

interface RestProps {
  side: 'inputs' | 'outputs'
  document: RunDocument
  conversation: Conversation
}

function Rest({ side, document, conversation }: RestProps) {
  const { rest, format } = conversation
  return <PayloadRest document={document} side={side} rest={rest[side]} isOpen={format.id === 'generic'} />
}

/** Links the tool calls of a conversation to their runs, on workspace pages and on public pages. */
function ToolRunLinks({ run, share, children }: { run: Run; share: string | undefined; children: ReactNode }) {
  const { tenant, runId } = useParams({ strict: false }) as { tenant?: string; runId?: string }
  const linkTo = (tool: Pick<Run, 'id' | 'name'>) => {
    const look = { className: 'text-accent hover:underline', 'aria-label': `Go to the run of ${tool.name}` }
    if (share !== undefined) {
      return (
        <Link to="/public/$token/r/$run" params={{ token: share, run: tool.id }} search={dropRunParams} {...look}>
          Go to run
        </Link>
      )
    }
    if (tenant === undefined) return null
    return (
      <Link
        to="/o/$tenant/projects/p/$projectId/r/$runId"
        params={{ tenant, projectId: run.session_id, runId: tool.id }}
        search={(kept) => ({ ...(runId === undefined ? {} : dropRunParams(kept)), trace_id: run.trace_id })}
        {...look}
      >
        Go to run
      </Link>
    )
  }
  return <ToolRunLink value={linkTo}>{children}</ToolRunLink>
}

/** Keeps the state of the trace view; the open tab and value belong to the previous run. */
function dropRunParams<Search extends { tab?: unknown; path?: unknown }>({ tab: _, path: __, ...kept }: Search) {
  return kept
}

/** The tool runs near a run; loaded only if its conversation calls tools. */
function useToolRuns(run: Run, conversation: Conversation, share: string | undefined): ToolRuns | undefined {
  const callsTools = useMemo(
    () =>
      [...conversation.input, ...conversation.output].some(({ parts }) =>
        parts.some(({ kind }) => kind === 'tool_call'),
      ),
    [conversation],
  )
  const { data: trace } = useQuery({ ...traceQuery.tree(run.trace_id, share), enabled: callsTools })
  const row = trace && findRow(trace, run.id)
  const read = useQuery({
    ...(trace && row !== undefined
      ? toolRunsQuery(trace, row, share)
      : { queryKey: ['tool-runs', share, run.id], queryFn: skipToken }),
    enabled: callsTools,
    placeholderData: keepPreviousData,
  })
  return read.data
}
