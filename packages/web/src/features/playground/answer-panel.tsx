import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleAlert, CircleStop, Database, Diff, ExternalLink, MessageSquarePlus } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import { Message } from '#features/payloads/chat/chat-view.tsx'
import type { ChatPart } from '#features/payloads/chat/conversation.ts'
import { traceQuery } from '#features/traces/queries.ts'
import { askDiff } from '#lib/diff/ask-diff.ts'
import { formatCost, formatLatency, formatTokenPair, UNKNOWN } from '#lib/format.ts'
import { Button, buttonLook } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { DiffView } from '#ui/diff-view.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { CallResults } from './call-results.tsx'
import { type Answer, countDistinct, isBusy } from './logic/answers.ts'
import type { PlaygroundOrigin, VariantRun } from './logic/controller.ts'

const AddToDatasetDialog = lazyExtra(() =>
  import('#features/datasets/add-to-dataset/add-to-dataset-dialog.tsx').then((module) => module.AddToDatasetDialog),
)

/** The output of another variant, to compare with. */
export interface OtherOutput {
  readonly name: string
  readonly text: string
}

export interface AnswerPanelProps {
  name: string
  run: VariantRun
  isStale: boolean
  /** Where answers of tools come from besides the user. */
  origin: PlaygroundOrigin
  others: readonly OtherOutput[]
  /** Why the conversation cannot go on from these answers; undefined if it can. */
  blocked: string | undefined
  onContinue: (message: NonNullable<Answer['message']>, results: readonly { id: string; text: string }[]) => void
  onRetry: () => void
  /** Removes a rejected parameter and runs again. */
  onRetryWithout: (parameter: string) => void
}

/** The answers of one run of a variant, one below the other. */
export function AnswerPanel({ run, isStale, ...props }: AnswerPanelProps) {
  const { answers } = run
  const done = answers.filter(({ status }) => status === 'done').length
  return (
    <div className="flex min-w-0 flex-col gap-2 p-2">
      {isStale && (
        <p role="status" className="rounded-control bg-sunken px-2 py-1 text-row text-warn">
          Stale: the variant or its variables have changed since this run.
        </p>
      )}
      {answers.length > 1 && (
        <p className="px-1 text-row text-fg-muted">
          {done} of {answers.length} answers{done > 1 && `, ${countDistinct(answers)} distinct`}
        </p>
      )}
      {answers.map((answer, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: repeats have no ids and never move
        <AnswerCard key={at} answer={answer} repeat={at} isOnly={answers.length === 1} {...props} />
      ))}
    </div>
  )
}

type AnswerCardProps = Omit<AnswerPanelProps, 'run' | 'isStale'> & { answer: Answer; repeat: number; isOnly: boolean }

function AnswerCard(props: AnswerCardProps) {
  const { answer, repeat, isOnly, name, origin, others, blocked, onContinue, ...retry } = props
  const { status, problem, schemaProblem, message, unsent = [] } = answer
  const label = isOnly ? `Output of ${name}` : `Output ${repeat + 1} of ${name}`
  const isWriting = isBusy(answer)
  return (
    <section aria-label={label} aria-busy={isWriting} className="flex min-w-0 flex-col gap-1.5">
      {isWriting || status === 'stopped' ? (
        <Streamed answer={answer} />
      ) : (
        hasContent(answer) && <Done answer={answer} />
      )}
      {status === 'failed' && problem && <Failure problem={problem} {...retry} />}
      {schemaProblem && (
        <p role="alert" className="flex items-start gap-1.5 rounded-control bg-del-bg px-2 py-1 text-row text-fg">
          <CircleAlert size={14} aria-hidden className="mt-0.5 shrink-0 text-err" />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            The answer does not match the output schema at{' '}
            <code className="font-mono">{schemaProblem.path === '' ? 'the whole answer' : schemaProblem.path}</code>:{' '}
            {schemaProblem.message}
          </span>
        </p>
      )}
      {unsent.length > 0 && (
        <p className="text-row text-warn">Not sent, because this API has no name for it: {unsent.join(', ')}.</p>
      )}
      {answer.finishReason === 'length' && (
        <p className="text-row text-warn">The answer was cut at the limit of tokens. Raise Max tokens.</p>
      )}
      {status === 'done' && message && answer.calls.length > 0 && (
        <CallResults
          name={name}
          calls={answer.calls}
          origin={origin}
          blocked={blocked}
          onSend={(results) => onContinue(message, results)}
        />
      )}
      <Figures answer={answer} />
      {!isWriting && (
        <Actions answer={answer} name={name} others={others}>
          {status === 'done' && message && answer.calls.length === 0 && (
            <Button
              look="quiet"
              disabled={blocked !== undefined}
              title={blocked}
              onClick={() => onContinue(message, [])}
            >
              <MessageSquarePlus size={13} aria-hidden />
              Continue
            </Button>
          )}
        </Actions>
      )}
    </section>
  )
}

const hasContent = ({ text, reasoning, calls }: Answer) => text !== '' || reasoning !== '' || calls.length > 0

/** An answer while it arrives: plain text, because Markdown would be parsed again with every part. */
function Streamed({ answer: { status, text, reasoning, calls } }: { answer: Answer }) {
  const isEmpty = text === '' && calls.length === 0
  return (
    <div className="rounded-card border border-border bg-surface px-3 py-2 text-form">
      {reasoning !== '' && (
        <p className="max-h-32 overflow-auto whitespace-pre-wrap pb-1 text-row text-fg-muted [overflow-wrap:anywhere]">
          {reasoning}
        </p>
      )}
      {isEmpty && status !== 'stopped' && (
        <p className="text-fg-subtle">{status === 'waiting' ? 'Waiting…' : 'Writing…'}</p>
      )}
      <p dir="auto" className="whitespace-pre-wrap [overflow-wrap:anywhere]">
        {text}
      </p>
      {calls.map((call, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls keep their place while they arrive
        <p key={at} className="font-mono text-row [overflow-wrap:anywhere]">
          {call.name}({call.arguments})
        </p>
      ))}
      {status === 'stopped' && (
        <p className="flex items-center gap-1 pt-1 text-row text-fg-muted">
          <CircleStop size={13} aria-hidden />
          Stopped
        </p>
      )}
    </div>
  )
}

function Done({ answer: { text, reasoning, calls } }: { answer: Answer }) {
  const parts: ChatPart[] = [
    ...(reasoning === '' ? [] : [{ kind: 'reasoning' as const, text: reasoning }]),
    ...(text === '' ? [] : [{ kind: 'text' as const, text }]),
    ...calls.map(({ id, name, arguments: args }) => ({ kind: 'tool_call' as const, id, name, args: parse(args) })),
  ]
  return <Message message={{ role: 'assistant', parts }} isAnswer={false} />
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

interface FailureProps extends Pick<AnswerPanelProps, 'onRetry' | 'onRetryWithout'> {
  problem: NonNullable<Answer['problem']>
}

/** Why a call failed, in the words of the provider too, with what helps. */
function Failure({ problem, onRetry, onRetryWithout }: FailureProps) {
  const {
    message,
    provider_message: words,
    offending_parameter: parameter,
    status,
    retry_after_seconds: wait,
  } = problem
  return (
    <div
      role="alert"
      className="flex min-w-0 flex-col gap-1.5 rounded-card border border-err bg-surface px-3 py-2 text-row"
    >
      <p className="flex items-start gap-1.5 font-medium">
        <CircleAlert size={14} aria-hidden className="mt-0.5 shrink-0 text-err" />
        <span className="min-w-0 [overflow-wrap:anywhere]">{message}</span>
      </p>
      {words && words !== message && (
        <blockquote className="border-l-2 border-border-strong pl-2 [overflow-wrap:anywhere]">{words}</blockquote>
      )}
      {(status !== null || wait !== null) && (
        <p className="text-fg-muted">
          {[status !== null && `HTTP ${status}`, wait !== null && `try again in ${wait} s`].filter(Boolean).join(' · ')}
        </p>
      )}
      <div className="flex flex-wrap gap-1.5">
        {parameter !== null && (
          <Button look="primary" onClick={() => onRetryWithout(parameter)}>
            Remove {parameter} and retry
          </Button>
        )}
        <Button onClick={onRetry}>Retry</Button>
      </div>
    </div>
  )
}

/** Times, tokens and price. */
function Figures({ answer: { figures } }: { answer: Answer }) {
  if (figures === undefined) return null
  const { tokens, cost, latency_ms: latency, first_token_ms: first } = figures
  const pair = tokens && formatTokenPair(tokens.prompt_tokens, tokens.completion_tokens)
  const details = tokens && [
    tokens.cache_read_tokens ? `${tokens.cache_read_tokens} from the cache` : '',
    tokens.reasoning_tokens ? `${tokens.reasoning_tokens} of reasoning` : '',
  ]
  return (
    <p className="flex flex-wrap gap-x-3 px-1 text-meta tabular-nums text-fg-muted">
      <span title="Time of the whole call">{formatLatency(latency)}</span>
      {first !== null && <span title="Time to the first token">{formatLatency(first)} to first token</span>}
      <span title={details?.filter(Boolean).join(', ') || 'Tokens of the prompt and of the answer'}>
        {pair ?? UNKNOWN} tokens
      </span>
      <span title={cost === null ? 'The model has no price' : undefined}>
        {cost === null ? 'unknown cost' : formatCost(String(cost))}
      </span>
    </p>
  )
}

interface ActionsProps extends Pick<AnswerPanelProps, 'name' | 'others'> {
  answer: Answer
  children: ReactNode
}

function Actions({ answer, name, others, children }: ActionsProps) {
  const [opened, setOpened] = useState<'dataset' | OtherOutput>()
  const { runId, figures, text } = answer
  const close = () => setOpened(undefined)
  return (
    <>
      <div className="flex flex-wrap items-center gap-1">
        {children}
        {runId !== undefined && (
          <>
            <Link to="/go/$id" params={{ id: runId }} target="_blank" className={buttonLook('quiet')}>
              <ExternalLink size={13} aria-hidden />
              Trace
            </Link>
            <Button look="quiet" onClick={() => setOpened('dataset')}>
              <Database size={13} aria-hidden />
              Add to dataset
            </Button>
          </>
        )}
        {text !== '' &&
          others.map((other) => (
            <Button key={other.name} look="quiet" onClick={() => setOpened(other)}>
              <Diff size={13} aria-hidden />
              Diff with {other.name}
            </Button>
          ))}
      </div>
      {figures?.raw_request && (
        <Disclosure summary="Raw request and reply" className="px-1">
          {[figures.raw_request, figures.raw_reply].map(
            (raw, at) =>
              raw && (
                <pre
                  // biome-ignore lint/suspicious/noArrayIndexKey: request and reply
                  key={at}
                  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
                  tabIndex={0}
                  role="region"
                  aria-label={at === 0 ? 'Raw request' : 'Raw reply'}
                  className="mb-1 max-h-60 overflow-auto whitespace-pre-wrap rounded-control bg-sunken px-2 py-1 font-mono text-meta [overflow-wrap:anywhere]"
                >
                  {'url' in raw ? `${raw.method} ${raw.url}\n\n${raw.body}` : `HTTP ${raw.status}\n\n${raw.body}`}
                </pre>
              ),
          )}
        </Disclosure>
      )}
      {opened === 'dataset' && runId !== undefined && <AddRun runId={runId} onClose={close} />}
      {typeof opened === 'object' && <OutputDiff name={name} text={text} other={opened} onClose={close} />}
    </>
  )
}

/** Loads the run of an answer and opens the dialog. */
function AddRun({ runId, onClose }: { runId: string; onClose: () => void }) {
  const { data, error } = useQuery({ ...traceQuery.run(runId), retry: 5, retryDelay: 1000 })
  if (error !== null) {
    return (
      <Dialog open onOpenChange={onClose} title="Add to dataset">
        <ErrorState title="Could not load the run" error={error} />
      </Dialog>
    )
  }
  if (data === undefined) return null
  return (
    <Suspense>
      <AddToDatasetDialog run={data.run} payload={data.payload} bytes={data.json.bytes} onClose={onClose} />
    </Suspense>
  )
}

interface OutputDiffProps {
  name: string
  text: string
  other: OtherOutput
  onClose: () => void
}

function OutputDiff({ name, text, other, onClose }: OutputDiffProps) {
  const { data, error } = useQuery({
    queryKey: ['playground-diff', other.text, text],
    queryFn: ({ signal }) => askDiff({ kind: 'text', a: other.text, b: text }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    meta: { quiet: true },
  })
  return (
    <Dialog open onOpenChange={onClose} title={`Output of ${other.name} and ${name}`} width="max-w-4xl">
      {error !== null && <ErrorState compact title="Could not compare the outputs" error={error} />}
      {data === undefined && error === null && <SkeletonRows rows={4} label="Comparing" />}
      {data && <DiffView diff={data} sides={[other.name, name]} />}
    </Dialog>
  )
}
