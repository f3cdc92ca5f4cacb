import { Component, type ReactNode } from 'react'
import { ErrorState } from './error-state.tsx'

interface PaneBoundaryProps {
  /** Title of the error. */
  title: string
  children: ReactNode
}

/** Shows a render error inside its pane; the rest of the page keeps working. */
export class PaneBoundary extends Component<PaneBoundaryProps, { error: unknown }> {
  override state: { error: unknown } = { error: undefined }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    if (this.state.error === undefined) return this.props.children
    return (
      <ErrorState
        title={this.props.title}
        error={this.state.error}
        onRetry={() => this.setState({ error: undefined })}
      />
    )
  }
}
