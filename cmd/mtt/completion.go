package main

// This file is "mtt completion": scripts that teach a shell to complete the
// names of commands and options. The scripts ask the program itself.

import (
	"context"
	"fmt"
	"io"
)

// completionScripts holds one script for each shell.
var completionScripts = map[string]string{
	"bash": `_mtt() {
  local words
  words=("${COMP_WORDS[@]:0:$COMP_CWORD}")
  [[ ${COMP_WORDS[COMP_CWORD]} == -* ]] && words+=("${COMP_WORDS[COMP_CWORD]}")
  COMPREPLY=($(compgen -W "$("${words[@]}" --generate-bash-completion 2>/dev/null)" -- "${COMP_WORDS[COMP_CWORD]}"))
  return 0
}
complete -o bashdefault -o default -F _mtt mtt
`,
	"zsh": `#compdef mtt
_mtt() {
  local -a found
  found=("${(@f)$("${words[@]:0:$CURRENT-1}" ${(M)words[CURRENT]:#-*} --generate-bash-completion 2>/dev/null)}")
  [[ -n $found ]] && _describe 'mtt' found || _files
}
compdef _mtt mtt
`,
	"fish": `function __mtt_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  string match -q -- '-*' $current; and set -a words $current
  $words --generate-bash-completion 2>/dev/null
end
complete -c mtt -a '(__mtt_complete)'
`,
}

func newCompletionCommand() *command {
	return &command{
		name:    "completion",
		summary: "prints a completion script for bash, zsh or fish",
		args:    "bash|zsh|fish",
		maxArgs: 1,
		about: "Put the script where the shell reads it, or evaluate it in the shell's start-up\n" +
			"file, for example with: source <(mtt completion bash)\n",
		examples: "mtt completion bash\n",
		run: func(_ context.Context, s *session, args []string) error {
			return runCompletion(s, args)
		},
	}
}

func runCompletion(s *session, args []string) error {
	if len(args) == 0 {
		return usagef("name a shell: bash, zsh or fish")
	}
	script, ok := completionScripts[args[0]]
	if !ok {
		return usagef("no completion script for %q", args[0]).
			hinted("%s", didYouMean(args[0], "", []string{"bash", "zsh", "fish"}))
	}
	if _, err := io.WriteString(s.out.w, script); err != nil {
		return fmt.Errorf("writing the script: %w", err)
	}
	return nil
}
