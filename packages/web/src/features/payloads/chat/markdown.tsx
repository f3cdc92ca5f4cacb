import { ChevronRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import ReactMarkdown, { type Components, type Options } from 'react-markdown'
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'
import { cx } from '#lib/browser.ts'
import { findLanguage } from '#lib/code-languages.ts'
import { pluralize } from '#lib/format.ts'
import { isTerminalText } from '#lib/terminal-text.ts'
import { CodeText } from '#ui/code-text.tsx'
import { TerminalText } from '#ui/terminal-text.tsx'
import { isCostly, keepWording, MAX_LENGTH, readExactly } from './exact-markdown.ts'
import { RemoteMedia } from './media.tsx'
import { isInlineMedia, safeUrl } from './safe-url.ts'
import { cutBlocks, joinBlocks, splitSections, type TextBlock, type XmlSection } from './xml-sections.ts'

/** HTML is not even read. What is sanitized nevertheless may have the classes that `keepWording` sets. */
const SCHEMA = {
  ...defaultSchema,
  attributes: {
    ...defaultSchema.attributes,
    span: [['className', 'mark', 'item-mark'] as [string, ...string[]]],
    p: [['className', 'rule', 'info'] as [string, ...string[]]],
  },
  protocols: { ...defaultSchema.protocols, src: ['http', 'https', 'data'] },
}

const REMARK = [remarkGfm, readExactly, keepWording]
const REHYPE: Options['rehypePlugins'] = [[rehypeSanitize, SCHEMA], setDirections]

/** Blocks in the direction of their first letter. The blocks inside them follow: a list has its bullets on one side. */
const BLOCKS = new Set(['p', 'ul', 'ol', 'td', 'th', 'blockquote'])

interface Node {
  tagName?: string
  properties?: Record<string, unknown>
  children?: Node[]
}

/** Lets Arabic and Hebrew run from the right. Code always runs from the left. */
function setDirections() {
  return (tree: Node) => visit(tree, false)
}

function visit({ tagName = '', properties, children = [] }: Node, isInBlock: boolean): void {
  const isBlock = BLOCKS.has(tagName)
  if (properties && isBlock && !isInBlock) properties.dir = 'auto'
  if (properties && (tagName === 'pre' || tagName === 'code')) properties.dir = 'ltr'
  for (const child of children) visit(child, isInBlock || isBlock)
}

const COMPONENTS: Components = {
  a: ({ href, children }) =>
    href ? (
      <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow" className="text-accent underline">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  img: ({ src, alt }) =>
    typeof src === 'string' && src !== '' ? (
      <RemoteMedia media={{ type: 'image', url: src, label: alt ?? '' }} />
    ) : null,
  // A wide table or code block scrolls on its own, and must be reachable by keyboard.
  pre: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable
    <pre dir="ltr" tabIndex={0} className="my-2 overflow-x-auto rounded-control bg-sunken p-2 font-mono text-row">
      {children}
    </pre>
  ),
  code: ({ className, children }) => {
    const language = findLanguage(/language-(\S+)/.exec(className ?? '')?.[1] ?? '')
    return (
      <code dir="ltr">
        {typeof children !== 'string' ? (
          children
        ) : isTerminalText(children) ? (
          <TerminalText text={children} />
        ) : (
          <CodeText text={children} language={language} />
        )}
      </code>
    )
  },
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable
    <div tabIndex={0} role="group" aria-label="Table" className="my-2 overflow-x-auto">
      <table>{children}</table>
    </div>
  ),
  // Headings of traced text must not be part of the page outline.
  h1: ({ children }) => (
    <p dir="auto" className="mb-1 mt-3 text-heading font-semibold">
      {children}
    </p>
  ),
  h2: ({ children }) => (
    <p dir="auto" className="mb-1 mt-3 text-form font-semibold">
      {children}
    </p>
  ),
  h3: ({ children }) => (
    <p dir="auto" className="mb-1 mt-2 font-semibold">
      {children}
    </p>
  ),
  h4: ({ children }) => (
    <p dir="auto" className="mb-1 mt-2 font-semibold">
      {children}
    </p>
  ),
  h5: ({ children }) => (
    <p dir="auto" className="mt-2 font-medium">
      {children}
    </p>
  ),
  h6: ({ children }) => (
    <p dir="auto" className="mt-2 font-medium">
      {children}
    </p>
  ),
}

const LOOK = [
  'markdown break-words text-form [&_p]:my-1.5 [&_p]:whitespace-pre-wrap [&_td]:whitespace-pre-wrap',
  '[&_.mark]:select-text [&_.mark]:font-normal [&_.mark]:text-fg-subtle',
  '[&_.item-mark]:-ms-6 [&_.item-mark]:inline-block [&_.item-mark]:min-w-6 [&_.item-mark]:text-fg-subtle',
  '[&_.rule]:flex [&_.rule]:items-center [&_.rule]:gap-2 [&_.rule]:after:h-px [&_.rule]:after:flex-1',
  "[&_.rule]:after:bg-border [&_.rule]:after:content-[''] [&_.info]:mb-0 [&_.info]:font-mono [&_.info]:text-meta",
  '[&_.info+pre]:mt-0.5 [&_ol]:ps-6 [&_ul]:ps-6 [&_li>p]:my-0.5',
  '[&_blockquote]:border-s-2 [&_blockquote]:border-border-strong [&_blockquote]:ps-2 [&_blockquote]:text-fg-muted',
  '[&_:not(pre)>code]:rounded-control [&_:not(pre)>code]:bg-sunken [&_:not(pre)>code]:px-1 [&_code]:font-mono',
  '[&_code]:text-row [&_td]:border [&_td]:border-border [&_td]:px-2 [&_td]:py-1 [&_th]:border [&_th]:border-border',
  '[&_th]:px-2 [&_th]:py-1 [&_th]:text-start',
].join(' ')

/** Images that are in the text are shown at once, like other media. */
function toSafeUrl(url: string, key: string): string {
  return key === 'src' && isInlineMedia(url) ? url : safeUrl(url)
}

export interface MarkdownProps {
  source: string
  /** Only so many characters are shown. @default all */
  limit?: number
}

/**
 * Renders traced Markdown with all of its wording, without HTML, without automatic remote images, and with links that send
 * no referrer. Blocks between tags of XML can be folded.
 */
export default function Markdown({ source, limit }: MarkdownProps) {
  const blocks = useMemo(
    () => cutBlocks(splitSections(source.replace(/^\uFEFF/, '')), limit ?? source.length),
    [source, limit],
  )
  return (
    <Blocks
      blocks={blocks}
      isPlain={Math.min(source.length, limit ?? source.length) > MAX_LENGTH}
      isInSection={false}
    />
  )
}

interface BlocksProps {
  blocks: readonly TextBlock[]
  /** Without Markdown. */
  isPlain: boolean
  isInSection: boolean
}

function Blocks({ blocks, isPlain, isInSection }: BlocksProps) {
  return blocks.map((block, at) => {
    // biome-ignore-start lint/suspicious/noArrayIndexKey: blocks have no ids and never move
    if (block.kind === 'section') return <Section key={at} section={block} isPlain={isPlain} />
    if (block.text.trim() === '') return null
    const text = isInSection ? removeIndent(block.text) : block.text
    return isPlain || isCostly(text) ? <Plain key={at} text={text} /> : <Formatted key={at} text={text} />
    // biome-ignore-end lint/suspicious/noArrayIndexKey: blocks have no ids and never move
  })
}

function Plain({ text }: { text: string }) {
  return (
    <p dir="auto" className="whitespace-pre-wrap break-words text-form">
      <TerminalText text={text} />
    </p>
  )
}

function Formatted({ text }: { text: string }) {
  return (
    <div className={LOOK}>
      <ReactMarkdown remarkPlugins={REMARK} rehypePlugins={REHYPE} components={COMPONENTS} urlTransform={toSafeUrl}>
        {text}
      </ReactMarkdown>
    </div>
  )
}

/** The lines between two tags, which can be folded. The tags stay in sight. */
function Section({ section, isPlain }: { section: XmlSection; isPlain: boolean }) {
  const [open, setOpen] = useState(true)
  const size = useMemo(() => joinBlocks(section.blocks).length, [section])
  const tag = 'min-w-0 text-start font-mono text-row text-fg-muted [overflow-wrap:anywhere]'
  return (
    <div className="my-0.5">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="-ms-0.5 flex min-h-6 max-w-full select-text items-center gap-1 rounded-control pe-1 hover:bg-hover coarse:min-h-10"
      >
        <ChevronRight size={13} aria-hidden className={cx('shrink-0 text-fg-subtle', open && 'rotate-90')} />
        <span className={tag}>{section.open.trim()}</span>
        {!open && <span className="shrink-0 text-meta text-fg-subtle">{pluralize(size, 'character')}</span>}
        {!open && <span className={tag}>{section.close.trim()}</span>}
      </button>
      {open && (
        <>
          <div className="ms-1 border-s border-border ps-3">
            <Blocks blocks={section.blocks} isPlain={isPlain} isInSection />
          </div>
          {section.close !== '' && <p className={cx('ps-3.5', tag)}>{section.close.trim()}</p>}
        </>
      )}
    </div>
  )
}

/** Without the spaces that all lines start with: the section is indented already. */
function removeIndent(text: string): string {
  const indents = text.match(/^[ \t]*(?=[^\s])/gm) ?? []
  const least = indents.reduce((least, { length }) => Math.min(least, length), 100)
  return least === 0 ? text : text.replaceAll(new RegExp(`^[ \\t]{1,${least}}`, 'gm'), '')
}
