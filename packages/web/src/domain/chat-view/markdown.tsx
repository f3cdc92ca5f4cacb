import ReactMarkdown, { type Components } from 'react-markdown'
import rehypeSanitize from 'rehype-sanitize'
import remarkBreaks from 'remark-breaks'
import remarkGfm from 'remark-gfm'
import { findLanguage } from '#lib/code-languages.ts'
import { CodeText } from '#ui/code-text.tsx'
import { RemoteMedia } from './media.tsx'
import { safeUrl } from './safe-url.ts'

const REMARK = [remarkGfm, remarkBreaks]
const REHYPE = [rehypeSanitize, setDirections]

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
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" className="text-accent underline">
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
        {typeof children === 'string' ? <CodeText text={children} language={language} /> : children}
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
  input: ({ checked }) => <span>{checked ? '[x] ' : '[ ] '}</span>,
}

/** Renders traced Markdown without raw HTML, without automatic remote images, and with links that send no referrer. */
export default function Markdown({ source }: { source: string }) {
  return (
    <div className="markdown break-words text-form [&_:not(pre)>code]:rounded-control [&_:not(pre)>code]:bg-sunken [&_:not(pre)>code]:px-1 [&_blockquote]:border-s-2 [&_blockquote]:border-border-strong [&_blockquote]:ps-3 [&_blockquote]:text-fg-muted [&_code]:font-mono [&_code]:text-row [&_hr]:my-3 [&_hr]:border-border [&_li]:my-0.5 [&_ol]:list-decimal [&_ol]:ps-6 [&_p]:my-1.5 [&_td]:border [&_td]:border-border [&_td]:px-2 [&_td]:py-1 [&_th]:border [&_th]:border-border [&_th]:px-2 [&_th]:py-1 [&_th]:text-start [&_ul]:list-disc [&_ul]:ps-6">
      <ReactMarkdown remarkPlugins={REMARK} rehypePlugins={REHYPE} components={COMPONENTS} urlTransform={safeUrl}>
        {source}
      </ReactMarkdown>
    </div>
  )
}
