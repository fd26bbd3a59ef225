// Package django finds a Python with Django REST Framework, for tests of programs that run
// beside Django.
//
// Tests call [Python]. It returns the path of the Python on the machine. If there is none, the
// test is skipped, and states what to install.
package django
