package cli

// This file is the command completion: scripts that teach a shell to complete the
// names of commands and options. The scripts ask the program itself.

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// completionScripts holds one script for each shell, of a program called PROGRAM.
var completionScripts = map[string]string{
	"bash": `_PROGRAM() {
  local words
  words=("${COMP_WORDS[@]:0:$COMP_CWORD}")
  [[ ${COMP_WORDS[COMP_CWORD]} == -* ]] && words+=("${COMP_WORDS[COMP_CWORD]}")
  COMPREPLY=($(compgen -W "$("${words[@]}" --generate-bash-completion 2>/dev/null)" -- "${COMP_WORDS[COMP_CWORD]}"))
  return 0
}
complete -o bashdefault -o default -F _PROGRAM PROGRAM
`,
	"zsh": `#compdef PROGRAM
_PROGRAM() {
  local -a found
  found=("${(@f)$("${words[@]:0:$CURRENT-1}" ${(M)words[CURRENT]:#-*} --generate-bash-completion 2>/dev/null)}")
  [[ -n $found ]] && _describe 'PROGRAM' found || _files
}
compdef _PROGRAM PROGRAM
`,
	"fish": `function __PROGRAM_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  string match -q -- '-*' $current; and set -a words $current
  $words --generate-bash-completion 2>/dev/null
end
complete -c PROGRAM -a '(__PROGRAM_complete)'
`,
}

// complete lists the words that an option takes, a line each, when the line ends in
// the option's name and the flag of the completion scripts. Shells may hand over the
// "=" after a name as a word of its own.
func complete(line []string, commands []*Command) (words string, ok bool) {
	n := len(line)
	if n < 2 || line[n-1] != completionFlag {
		return "", false
	}
	line = line[:n-1]
	if n := len(line); n > 1 && line[n-1] == "=" {
		line = line[:n-1]
	}
	last := line[len(line)-1]
	if !isFlag(last) || strings.Contains(last, "=") {
		return "", false
	}
	var known []*Command
	for _, word := range line {
		if c := findCommand(commands, word); c != nil {
			known = append(known, c)
			break
		}
	}
	o := FindOption(append(known, commands...), strings.TrimLeft(last, "-"))
	if o == nil || o.IsBool {
		return "", false
	}
	for _, v := range o.Values {
		words += v + "\n"
	}
	return words, true
}

// CompletionCommand is the command completion of a program.
func CompletionCommand(program string) *Command {
	return &Command{
		Name:    "completion",
		Summary: "prints a completion script for bash, zsh or fish",
		Args:    "bash|zsh|fish",
		MaxArgs: 1,
		About: "Put the script where the shell reads it, or evaluate it in the shell's start-up\n" +
			"file, for example with: source <(" + program + " completion bash)\n",
		Examples: program + " completion bash\n",
		Run: func(_ context.Context, s *Session, args []string) error {
			return runCompletion(s, args)
		},
	}
}

func runCompletion(s *Session, args []string) error {
	if len(args) == 0 {
		return Usagef("name a shell: bash, zsh or fish")
	}
	script, ok := completionScripts[args[0]]
	if !ok {
		return Usagef("no completion script for %q", args[0]).
			Hinted("%s", DidYouMean(args[0], "", []string{"bash", "zsh", "fish"}))
	}
	if _, err := io.WriteString(s.Out.W, strings.ReplaceAll(script, "PROGRAM", s.app.Name)); err != nil {
		return fmt.Errorf("writing the script: %w", err)
	}
	return nil
}
